#include "language_training/corpus.hpp"

#include <fmt/core.h>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "train/philox.hpp"

namespace sinkproof::language_training {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;

// Separates what is drawn from the text from what else a seed decides.
constexpr std::uint32_t kTrainingStarts = 16;
constexpr std::uint32_t kHeldOutStarts = 17;

}  // namespace

exact::Result<Corpus> read_corpus(const std::vector<std::filesystem::path>& files,
                                  std::size_t length) {
  Corpus corpus;
  for (const auto& path : files) {
    auto bytes = file::read(path, kMostBytes - corpus.bytes.size());
    if (!bytes) return tl::unexpected(bytes.error());
    corpus.bytes += *bytes;
  }
  if (corpus.bytes.size() / 10 < length + 1) {
    return exact::fail(
        "SP2301", files.empty() ? "TEXT" : files.front().string(),
        fmt::format("{} bytes are too few: a tenth of the text is held out and must be longer than "
                    "one sequence of {} tokens; give more text, or a smaller --length",
                    corpus.bytes.size(), length));
  }
  corpus.sha256 = certificate::sha256_hex(corpus.bytes);
  return corpus;
}

void draw_tokens(const Corpus& corpus, const Decoder& decoder, const Drawing& drawing,
                 std::uint16_t* tokens) {
  const bool training = drawing.part == Part::kTraining;
  const std::size_t first = training ? 0 : corpus.trained_on();
  const std::size_t end = training ? corpus.trained_on() : corpus.bytes.size();
  const std::size_t taken = decoder.length + 1 - (decoder.bos ? 1 : 0);
  const train::PhiloxKey key = {static_cast<std::uint32_t>(drawing.seed),
                                static_cast<std::uint32_t>(drawing.seed >> 32U)};
  for (std::uint32_t sequence = 0; sequence < drawing.sequences; ++sequence) {
    const auto words = train::philox4x32(
        {static_cast<std::uint32_t>(drawing.step), static_cast<std::uint32_t>(drawing.step >> 32U),
         sequence, training ? kTrainingStarts : kHeldOutStarts},
        key);
    // A word and at most 2^30 places: their product's upper half is as good as even.
    const std::size_t start = first + ((end - first - taken + 1) * std::uint64_t{words[0]} >> 32U);
    if (decoder.bos) *tokens++ = kBos;
    for (std::size_t k = 0; k < taken; ++k) {
      *tokens++ = static_cast<unsigned char>(corpus.bytes[start + k]);
    }
  }
}

}  // namespace sinkproof::language_training
