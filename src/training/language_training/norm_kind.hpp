// The norms of a small language model, as tables: what they do, and where they stand.
#pragma once

#include <array>
#include <string_view>

namespace sinkproof::language_training {

// LayerNorm with weight and bias; or x / sqrt(mean of squares) with a weight (arXiv:1910.07467).
struct NormKind {
  std::string_view name;
  bool centred = true;  // subtracts the mean, and has a bias
};

inline constexpr std::array<NormKind, 2> kNormKinds = {{{"layer"}, {"rms", false}}};

// x + f(norm(x)), with one more norm before the head; or norm(x + f(x)), as arXiv:1706.03762 has
// it.
struct NormPlace {
  std::string_view name;
  bool after = false;
};

inline constexpr std::array<NormPlace, 2> kNormPlaces = {{{"pre"}, {"post", true}}};

}  // namespace sinkproof::language_training
