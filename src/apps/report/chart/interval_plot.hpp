// Two-sided bounds as pictures: which side an exact input attains and which is proved for all
// inputs is drawn with different shapes. Positions are rounded to the pixel; the text beside them
// is rounded outward.
#pragma once

#include <string>
#include <vector>

#include "report/checkpoint_reading.hpp"

namespace sinkproof::report {

// The losses on one logarithmic axis, 0 on a place of its own. "" when there are none.
std::string loss_plot(const std::vector<Bound>& bounds);

// What is paid on one linear axis, from 0 to 1 or as far as the bounds go: floors or ceilings, and
// beneath them, for each theorem that applies, the floor it implies beside the certified one: on an
// axis of their own where that shows more of the difference. "" when there are none. A floor that
// holds only with some probability is left to the table.
std::string paid_plot(Paid paid, const std::vector<Bound>& bounds,
                      const std::vector<Theorem>& theorems);

// A number >= 0 that lies between what is proved and what something exact attains.
struct NamedInterval {
  std::string name;
  exact::Rational lower;
  exact::Rational upper;
};

// Such intervals on one linear axis from 0. `title` says in words what they are. "" for none.
std::string interval_plot(const std::string& title, const std::vector<NamedInterval>& intervals);

enum class Side { kLower, kUpper };

// What the plots' signs mean; `implied`: of theorems, too.
std::string plot_key(bool implied);

// The shapes alone, for tables and legends: a small SVG each.
std::string attained_sign(Side side);
std::string proved_sign(Side side);
std::string implied_sign();

}  // namespace sinkproof::report
