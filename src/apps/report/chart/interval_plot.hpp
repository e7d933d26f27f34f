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

// A number that lies between two: of interval_plot >= 0, and one is proved, the other attained.
struct NamedInterval {
  std::string name;
  exact::Rational lower;
  exact::Rational upper;
};

// Such intervals on one linear axis from 0, which `quantity` names. `title` says in words what they
// are. "" for none.
std::string interval_plot(const std::string& title, const std::string& quantity,
                          const std::vector<NamedInterval>& intervals);

// Intervals that are proved to hold a quantity for all inputs, on one linear axis that it names:
// from 0 to 1 or as far as they go. "" for none.
std::string range_plot(const std::string& title, const std::string& quantity,
                       const std::vector<NamedInterval>& intervals);

enum class Side { kLower, kUpper };

// What the plots' signs mean; `implied`: of theorems, too.
std::string plot_key(bool implied);

// And those of range_plot.
std::string range_key();

// The shapes alone, for tables and legends: a small SVG each.
std::string attained_sign(Side side);
std::string proved_sign(Side side);
std::string implied_sign();

}  // namespace sinkproof::report
