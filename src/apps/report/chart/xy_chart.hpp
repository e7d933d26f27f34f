// Charts of numbers over a parameter: certified intervals as bars with a marker, closed forms and
// bounds as lines. Self-contained SVG with a title and a description for those who do not see it;
// the numbers belong into a table beneath. Positions are rounded to the pixel.
#pragma once

#include <string>
#include <vector>

#include "exact/rational.hpp"

namespace sinkproof::report {

// The colour and the shape of what belongs together; each has its own of both.
enum class Look { kSink, kSinkB, kDiagonal, kPlain };

struct IntervalAt {
  exact::Rational x;
  exact::Rational lower;
  exact::Rational upper;
};

struct Bars {
  std::string name;
  Look look = Look::kPlain;
  std::vector<IntervalAt> intervals;
};

enum class Stroke { kSolid, kDashed, kDotted };

// A curve known to within an interval at each x: drawn as a band, which is a line where the
// intervals are points.
struct Curve {
  std::string name;
  Look look = Look::kPlain;
  Stroke stroke = Stroke::kSolid;
  std::vector<IntervalAt> points;  // by increasing x
};

struct Chart {
  std::string id;           // unique on the page, [a-z0-9-]
  std::string title;        // what is shown
  std::string description;  // what is to be seen, in a sentence or two
  std::string x_label;
  std::string y_label;
  std::vector<Bars> bars;
  std::vector<Curve> curves;
  bool y_from_zero = true;
  // By decades, at most twelve; what is less, and 0, is at the bottom. Not with y_from_zero.
  bool y_logarithmic = false;
  std::string evidence{};  // markup at the end of the key: whether it is proved
};

// The chart and its key. "" when there is nothing in it. Names, labels and words are text, not
// markup.
std::string xy_chart(const Chart& chart);

}  // namespace sinkproof::report
