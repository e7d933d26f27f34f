#include "language_training/corpus.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "train/philox.hpp"

namespace sinkproof::language_training {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;

// Separates what is drawn from the text from what else a seed decides.
constexpr std::uint32_t kTrainingStarts = 16;
constexpr std::uint32_t kHeldOutStarts = 17;
constexpr std::uint32_t kRandomTokens = 19;

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

std::optional<Positions> parse_positions(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto number = [](std::string_view digits) -> std::optional<std::size_t> {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const auto first = number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(text.substr(dash + 1));
  if (!first || !last || *first > *last || (*first == 0 && *last != 0)) return std::nullopt;
  return Positions{*first, *last};
}

std::string text_of(const Positions& positions) {
  if (positions.first == positions.last) return fmt::format("{}", positions.first);
  return fmt::format("{}-{}", positions.first, positions.last);
}

void draw_tokens(const Corpus& corpus, const Decoder& decoder, const Drawing& drawing,
                 std::uint16_t* tokens) {
  const bool training = drawing.part == Part::kTraining;
  const std::size_t first = training ? 0 : corpus.trained_on();
  std::size_t end = training ? corpus.trained_on() : corpus.bytes.size();
  if (training && drawing.data.train_bytes != 0) {
    end = std::min<std::size_t>(end, drawing.data.train_bytes);
  }
  const std::size_t taken = decoder.length + 1 - (decoder.bos ? 1 : 0);
  const train::PhiloxKey key = {static_cast<std::uint32_t>(drawing.seed),
                                static_cast<std::uint32_t>(drawing.seed >> 32U)};
  const auto step = static_cast<std::uint32_t>(drawing.step);
  for (std::uint32_t sequence = 0; sequence < drawing.sequences; ++sequence) {
    std::uint16_t* const row = tokens + sequence * (decoder.length + 1);
    const auto words = train::philox4x32({step, static_cast<std::uint32_t>(drawing.step >> 32U),
                                          sequence, training ? kTrainingStarts : kHeldOutStarts},
                                         key);
    // A word and at most 2^30 places: their product's upper half is as good as even.
    const std::size_t start = first + ((end - first - taken + 1) * std::uint64_t{words[0]} >> 32U);
    if (decoder.bos) row[0] = kBos;
    for (std::size_t k = 0; k < taken; ++k) {
      row[decoder.length + 1 - taken + k] = static_cast<unsigned char>(corpus.bytes[start + k]);
    }
    const Positions random = training ? drawing.data.random : Positions{};
    for (std::size_t at = random.first; at != 0 && at <= random.last; ++at) {
      const auto drawn =
          train::philox4x32({step, static_cast<std::uint32_t>(at), sequence, kRandomTokens}, key);
      row[at - 1] = static_cast<std::uint16_t>(drawn[0] % kBytes);
    }
    if (decoder.fixed != 0) row[decoder.fixed - 1] = kBos;
  }
}

}  // namespace sinkproof::language_training
