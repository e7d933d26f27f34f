// Random balls, exact points of them, and whether a result holds a number.
#pragma once

#include <random>

#include "certificate/strict.hpp"
#include "exact/matrix.hpp"
#include "forward/ball.hpp"

namespace sinkproof {

// Centres about 2^p to 2^(p+3) units, of either sign; a row's radius may be 0.
inline forward::Balls random_balls(std::mt19937_64& random, std::size_t rows, std::size_t columns,
                                   unsigned p, std::uint64_t most_radius = 1'000'000) {
  forward::Balls result(rows, columns);
  for (std::size_t t = 0; t < rows; ++t) {
    result.radius[t] = random() % 4 == 0 ? 0 : random() % most_radius;
    for (std::size_t i = 0; i < columns; ++i) {
      const exact::Integer n = (exact::Integer(random()) << p >> 61U) + random() % 1000;
      result.centre(t, i) = random() % 2 == 0 ? exact::Integer(-n) : n;
    }
  }
  return result;
}

// A corner of each row's ball, or a point within, in units of 1.
inline exact::RationalMatrix points_of(std::mt19937_64& random, const forward::Balls& x,
                                       unsigned p) {
  exact::RationalMatrix result(x.rows(), x.columns());
  for (std::size_t t = 0; t < x.rows(); ++t) {
    for (std::size_t i = 0; i < x.columns(); ++i) {
      const int where = static_cast<int>(random() % 3) - 1;
      const exact::Integer n = x.centre(t, i) + where * x.radius[t];
      result(t, i) = exact::Rational(n) * exact::power_of_two(-static_cast<long>(p));
    }
  }
  return result;
}

inline bool holds(const forward::Balls& x, std::size_t t, std::size_t i,
                  const exact::Rational& value, unsigned p) {
  return exact::abs(value * exact::power_of_two(p) - exact::Rational(x.centre(t, i))) <=
         exact::Rational(x.radius[t]);
}

}  // namespace sinkproof
