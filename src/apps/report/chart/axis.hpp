// Positions on the axes of charts, in double precision: estimates for drawing, never bounds.
#pragma once

#include <string>
#include <vector>

#include "exact/rational.hpp"

namespace sinkproof::report {

// A double that the arithmetic of an axis cannot overflow.
double drawable(const exact::Rational& value);

// The least of 1, 2, 5 times a power of ten that is >= value, but for the rounding of doubles.
// Precondition: value > 0.
double round_up_nicely(double value);

struct Range {
  double low = 0;
  double high = 1;
  int steps = 5;  // between ticks
};

// A range that holds all values, its ends and steps multiples of 1, 2 or 5 times a power of ten;
// with `from_zero`, 0 too. Precondition: values not empty.
Range range_around(const std::vector<double>& values, bool from_zero);

// Ends at whole numbers, with a tick at each.
void in_whole_numbers(Range& range);

// The value of tick 0 .. steps, and how it is written.
double tick_value(const Range& range, int tick);
std::string tick_label(const Range& range, int tick);

}  // namespace sinkproof::report
