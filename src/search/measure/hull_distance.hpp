// How far the origin is from the convex hull of some vectors (claims sw-3, ge-2; VECTOR_RULES.md,
// 6.6): as values of a head, the least output any attention over these keys can produce.
#pragma once

#include <vector>

#include "exact/matrix.hpp"
#include "measure/min_norm_point.hpp"
#include "measure/property.hpp"

namespace sinkproof::measure {

struct HullDistance {
  std::vector<std::size_t> vectors;  // strictly increasing
  exact::Rational lower;             // of the squared distance
  exact::Rational upper;
  // Whole weights > 0 of the nearest point found; its support is among `vectors`, increasing.
  Combination<exact::Integer> nearest;
  Property property;

  [[nodiscard]] bool exact() const { return lower == upper; }
};

struct HullOptions {
  // The exact optimum while its integers stay below this; beyond, rounded weights with a gap of
  // about 2^-100. The default keeps every number within the 20000 digits a certificate may hold.
  std::size_t max_bits = 60000;
};

// Preconditions: gram is a Gram matrix; `vectors` is not empty, strictly increasing, within it.
HullDistance hull_distance(const exact::RationalMatrix& gram,
                           const std::vector<std::size_t>& vectors,
                           const HullOptions& options = {});

}  // namespace sinkproof::measure
