// The text a language model is trained on: bytes, of which the last tenth is held out; sequences
// drawn from either, each (seed, step, sequence) from its own random stream.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "language_training/decoder.hpp"

namespace sinkproof::language_training {

struct Corpus {
  std::string bytes;
  std::string sha256;  // of the bytes

  [[nodiscard]] std::size_t trained_on() const { return bytes.size() - bytes.size() / 10; }
};

// The files' bytes one behind the other. SP2301: they or their tenth are too short for a sequence
// of `length` tokens, or they are more than 1 GiB. Also SP02xx.
exact::Result<Corpus> read_corpus(const std::vector<std::filesystem::path>& files,
                                  std::size_t length);

// Positions of a sequence from 1, ends included; 0-0: none. Written "0", "K" or "FIRST-LAST".
struct Positions {
  std::size_t first = 0;
  std::size_t last = 0;
};
std::optional<Positions> parse_positions(std::string_view text);
std::string text_of(const Positions& positions);

// What of the text is trained on, and what stands in for it (arXiv:2410.10781, section 5).
struct Data {
  std::uint64_t train_bytes = 0;  // of the training part, its first so many; 0: all
  Positions random;               // their tokens are bytes drawn evenly, in training only
};

enum class Part { kTraining, kHeldOut };

// Writes `sequences` times length + 1 tokens: what is seen, and behind it the last token to
// predict.
struct Drawing {
  Data data;
  Part part = Part::kTraining;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::uint32_t sequences = 0;
};
void draw_tokens(const Corpus& corpus, const Decoder& decoder, const Drawing& drawing,
                 std::uint16_t* tokens);

}  // namespace sinkproof::language_training
