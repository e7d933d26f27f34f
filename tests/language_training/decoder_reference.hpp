// The plain counterpart of language_training/pass.hpp: loss and gradient of a decoder in double,
// one loop for each sum as it is written. Slow; what the fast one is tested against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "language_training/decoder.hpp"

namespace sinkproof::language_training {

struct ReferenceResult {
  double loss = 0;                // mean over asked tokens
  std::vector<double> gradient;   // of that, laid out as the weights
  std::vector<double> attention;  // [sequences][layers][heads][length][slots + length]: the weights
};

// `weights` as Layout has them; tokens [sequences][length + 1].
ReferenceResult reference_gradient(const Decoder& decoder, const std::vector<double>& weights,
                                   const std::vector<std::uint16_t>& tokens);

}  // namespace sinkproof::language_training
