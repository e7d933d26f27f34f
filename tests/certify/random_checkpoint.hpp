// Draws checkpoints of every kind, size, scale and dtype, far from what training gives: the files
// that must not make certify crash. Numbers, rounding to dtypes and the file's bytes are this
// file's own; nothing of src/ is used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sinkproof::test {

struct RandomCheckpoint {
  std::string kind;  // as the metadata spells it
  std::size_t width = 4;
  std::size_t length = 3;
  std::size_t heads = 1;
  std::vector<std::pair<double, double>> box;          // of each noise coordinate, in quarters
  std::map<std::string, std::vector<double>> tensors;  // by PyTorch's name, row-major, as stored
  std::string bytes;                                   // the safetensors file
  std::string description;                             // sizes, regime and dtypes, for a person
};

enum class Sizes {
  kSmall,  // d_model 4 to 8, length 3 to 8
  kMixed,  // d_model 4 to 32, length 3 to 64; most of them small
};

// The same checkpoint from the same seed. Seeds that follow each other walk through the ten kinds,
// in every second round over another box than [-1,1].
RandomCheckpoint draw_checkpoint(std::uint64_t seed, Sizes sizes);

}  // namespace sinkproof::test
