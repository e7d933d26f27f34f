// Real intervals with outward rounding, thin over MPFI. Every operation returns an interval that
// contains the exact result for every choice of points in its arguments.
//
// Boost 1.74's mpfi_float compares overlapping intervals by throwing inside noexcept (it aborts),
// and carries precision implicitly; so this wraps MPFI itself, precision is an argument, and the
// only comparisons are those with a certain answer.
#pragma once

#include <mpfi.h>

#include <string>
#include <vector>

#include "exact/exp_enclosure.hpp"
#include "exact/rational.hpp"

namespace sinkproof::exact {

class Interval {
 public:
  // The tightest interval around `value` with endpoints of `precision` bits (2..100000).
  explicit Interval(const Rational& value = 0, unsigned precision = 128);
  // [lower, upper], rounded outward. Precondition: lower <= upper.
  Interval(const Rational& lower, const Rational& upper, unsigned precision);
  // [lower, upper] * 2^-bits, rounded outward, without a fraction on the way. Precondition: lower
  // <= upper.
  static Interval fixed_point(const Integer& lower, const Integer& upper, unsigned bits,
                              unsigned precision);
  Interval(const Interval& other);
  Interval(Interval&& other) noexcept;
  Interval& operator=(const Interval& other);
  Interval& operator=(Interval&& other) noexcept;
  ~Interval();

  // The endpoints, exactly. Precondition: is_bounded().
  [[nodiscard]] Rational lower() const;
  [[nodiscard]] Rational upper() const;
  // floor(lower 2^bits) and ceil(upper 2^bits). They cost nothing where an endpoint is so small
  // that it has no Rational of a sane size, as exp of a large negative number is; the price of a
  // large endpoint is its size. Precondition: is_bounded().
  [[nodiscard]] Integer floor_at(unsigned bits) const;
  [[nodiscard]] Integer ceil_at(unsigned bits) const;
  [[nodiscard]] bool is_bounded() const;
  // Every point is above 0.
  [[nodiscard]] bool is_positive() const;
  [[nodiscard]] unsigned precision() const;
  [[nodiscard]] bool contains(const Rational& value) const;

  friend Interval operator+(const Interval& a, const Interval& b);
  friend Interval operator-(const Interval& a, const Interval& b);
  friend Interval operator*(const Interval& a, const Interval& b);
  // An unbounded interval when b contains 0.
  friend Interval operator/(const Interval& a, const Interval& b);
  friend Interval operator-(const Interval& a);
  friend Interval exp(const Interval& a);

 private:
  struct Uninitialised {};
  Interval(Uninitialised /*tag*/, unsigned precision);
  mpfi_t value_;
};

// True only when every point of a is smaller than every point of b.
bool certainly_less(const Interval& a, const Interval& b);
bool overlap(const Interval& a, const Interval& b);

// The smallest interval containing both.
Interval hull(const Interval& a, const Interval& b);

// Softmax weights of the logits: result[k] encloses exp(logits[k]) / sum_l exp(logits[l]), computed
// as 1 / sum_l exp(logits[l] - logits[k]), which neither overflows nor needs an epsilon.
// Precondition: logits not empty.
std::vector<Interval> softmax(const std::vector<Interval>& logits);

}  // namespace sinkproof::exact
