// What the values of a head force on its anchor (claims sw-1, sw-2; VECTOR_RULES.md, 6.6): a small
// output needs attention on the anchor, attention on the anchor makes a small output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exact/matrix.hpp"
#include "measure/hull_distance.hpp"
#include "measure/property.hpp"

namespace sinkproof::measure {

// |output| <= eta < gap forces attention >= (gap - eta)/(gap + anchor_loss) on the anchor;
// attention
// >= 1 - eps on the anchor bounds |output| by anchor_norm + eps spread. gap is rounded down, the
// others up, by less than 2^-50 of themselves.
struct SwitchBounds {
  std::string direction;  // in words: what the direction was chosen for
  std::size_t anchor = 0;
  std::vector<std::size_t> others;
  exact::Rational gap;
  exact::Rational anchor_loss;
  exact::Rational anchor_norm;
  exact::Rational spread;
  Property property;

  // The least attention on the anchor that an output of norm <= eta allows; 0 where eta >= gap.
  [[nodiscard]] exact::Rational floor(const exact::Rational& eta) const;
};

// The bounds of one direction u = sum c_k v_k; nothing when some other vector has u.v <= 0.
// Preconditions: others is not empty, strictly increasing and without the anchor.
std::optional<SwitchBounds> switch_bounds(const exact::RationalMatrix& gram, std::size_t anchor,
                                          const std::vector<std::size_t>& others,
                                          const Combination<exact::Integer>& direction);

// The directions worth stating: the one of the largest gap, and the one whose floor is highest for
// outputs of a tenth of that gap, where it is higher. Empty exactly when 0 is, or may be to the
// last bit, in the hull of the others. Precondition: `without` is hull_distance(gram, others).
std::vector<SwitchBounds> best_switch_bounds(const exact::RationalMatrix& gram, std::size_t anchor,
                                             const HullDistance& without);

}  // namespace sinkproof::measure
