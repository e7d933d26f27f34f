// The doubles nearest to exact numbers, their roots and their logarithms, for weights written to a
// checkpoint. Found by MPFR with growing precision until both ends of an enclosure round to the
// same double.
#pragma once

#include "exact/rational.hpp"

namespace sinkproof::output {

// Ties to even; infinite beyond the range of doubles.
double nearest_double(const exact::Rational& value);
// The double nearest to sqrt(value). Precondition: value >= 0.
double nearest_root(const exact::Rational& value);
// The double nearest to ln(value). Precondition: value > 0.
double nearest_log(const exact::Rational& value);

}  // namespace sinkproof::output
