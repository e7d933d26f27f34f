// What tc-1, tc-3 and tc-4 imply for a certified sup loss. CHECKPOINT_RULES.md, 4.7.
#pragma once

#include <cstddef>
#include <optional>

#include "certificate/box.hpp"
#include "exact/rational.hpp"

namespace sinkproof::check {

struct Implied {
  std::size_t parameter;  // m of tc-1, J = L of tc-3 and tc-4
  exact::Rational floor;
};

// What a loss is divided by before a theorem, whose noise lies in [-1,1], is about it; nothing
// where theorems do not apply to the box.
std::optional<exact::Rational> loss_unit(const certificate::Box& box);

// Nothing when the hypothesis fails.
std::optional<Implied> implied_by_tc1(const exact::Rational& eta, std::size_t length);
std::optional<Implied> implied_by_tc3(const exact::Rational& eta, std::size_t length);
std::optional<Implied> implied_by_tc4(const exact::Rational& eta, std::size_t length);

}  // namespace sinkproof::check
