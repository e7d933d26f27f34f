// Elementary functions in fixed point: ranges in units of 2^-p that hold the exact value.
// src/checker/certificate/CHECKPOINT_RULES.md, 4.6, and LANGUAGE_RULES.md, 5.3.
// Precondition where nothing else is said: 32 <= p <= kMostPrecision.
#pragma once

#include "exact/rational.hpp"
#include "forward/range.hpp"

namespace sinkproof::forward {

inline constexpr unsigned kMostPrecision = 2048;

Range pi(unsigned p);

// Precondition: x > 0.
Range logarithm(const exact::Rational& x, unsigned p);

struct CosineSine {
  Range cosine;
  Range sine;
};
// Of all angles of the range, which are below 2^40 in absolute value.
CosineSine cosine_sine(const Range& angle, unsigned p);

// exp(x) for x <= 0, and 1/(1 + exp(-x)): the ends of CHECKPOINT_RULES.md, 4.6. Of any p >= 32.
Range exponential(const Range& x, unsigned p);
Range logistic(const Range& x, unsigned p);

// 1/(1 + exp(-x)) of all x of a narrow range, by one series: several times as fast.
Range logistic_around(const Range& x, unsigned p);

// The normal distribution's function, (1 + erf(x/sqrt 2))/2, at a point; `density` is
// 1/sqrt(2 pi) in units of 2^-(2p + 64).
Range normal_at(const exact::Integer& x, const Range& density, unsigned p);

}  // namespace sinkproof::forward
