// The text a language model is trained on: bytes, of which the last tenth is held out; sequences
// drawn from either, each (seed, step, sequence) from its own random stream.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
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

enum class Part { kTraining, kHeldOut };

// Writes `sequences` times length + 1 tokens: what is seen, and behind it the last token to
// predict.
struct Drawing {
  Part part = Part::kTraining;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::uint32_t sequences = 0;
};
void draw_tokens(const Corpus& corpus, const Decoder& decoder, const Drawing& drawing,
                 std::uint16_t* tokens);

}  // namespace sinkproof::language_training
