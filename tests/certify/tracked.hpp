// A long double and how far the real number it stands for may be: every operation adds its own
// rounding to what its arguments bring. So a float evaluation needs no tolerance to be held against
// an exact bound.
#pragma once

#include <cfloat>
#include <cmath>

namespace sinkproof::test {

struct Tracked {
  long double value = 0;
  long double error = 0;  // |the real number - value| <= error; infinite where nothing is known

  // NOLINTNEXTLINE(google-explicit-constructor): numbers are exact where they come from.
  Tracked(long double exactly = 0) : value(exactly) {}
  Tracked(long double near, long double off) : value(near), error(off) {
    // Generous: a few units in the last place for the operation and for the sum of errors.
    constexpr long double kUnit = 16 * LDBL_EPSILON;
    error = error * (1 + kUnit) + kUnit * std::fabs(value) + LDBL_MIN;
    if (!std::isfinite(value) || std::isnan(error)) {
      value = 0;
      error = HUGE_VALL;
    }
  }
};

inline Tracked operator+(const Tracked& a, const Tracked& b) {
  return {a.value + b.value, a.error + b.error};
}
inline Tracked operator-(const Tracked& a, const Tracked& b) {
  return {a.value - b.value, a.error + b.error};
}
inline Tracked operator*(const Tracked& a, const Tracked& b) {
  return {a.value * b.value,
          std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error};
}
inline Tracked operator/(const Tracked& a, const Tracked& b) {
  const long double least = std::fabs(b.value) - b.error;
  if (!(least > 0)) return {0, HUGE_VALL};
  const long double quotient = a.value / b.value;
  return {quotient, (a.error + std::fabs(quotient) * b.error) / least};
}
inline Tracked exp(const Tracked& a) {
  const long double power = std::exp(a.value);
  return {power, power * std::expm1(a.error)};
}
inline Tracked max_with_zero(const Tracked& a) { return {std::fmax(0.0L, a.value), a.error}; }
inline long double number(const Tracked& a) { return a.value; }

// Plain doubles, for a search that does not need to know.
inline double max_with_zero(double a) { return std::fmax(0.0, a); }
inline double number(double a) { return a; }

}  // namespace sinkproof::test
