#include "exact/interval.hpp"

#include <algorithm>

#include "exact/mpfr_rational.hpp"

namespace sinkproof::exact {

Interval::Interval(Uninitialised /*tag*/, unsigned precision) { mpfi_init2(value_, precision); }

Interval::Interval(const Rational& value, unsigned precision) {
  mpfi_init2(value_, precision);
  mpfi_set_q(value_, value.backend().data());
}

Interval::Interval(const Rational& lower, const Rational& upper, unsigned precision) {
  mpfi_init2(value_, precision);
  mpfr_set_q(&value_->left, lower.backend().data(), MPFR_RNDD);
  mpfr_set_q(&value_->right, upper.backend().data(), MPFR_RNDU);
}

Interval Interval::fixed_point(const Integer& lower, const Integer& upper, unsigned bits,
                               unsigned precision) {
  Interval result(Uninitialised{}, precision);
  const auto exponent = -static_cast<mpfr_exp_t>(bits);
  mpfr_set_z_2exp(&result.value_->left, lower.backend().data(), exponent, MPFR_RNDD);
  mpfr_set_z_2exp(&result.value_->right, upper.backend().data(), exponent, MPFR_RNDU);
  return result;
}

Interval::Interval(const Interval& other) {
  mpfi_init2(value_, other.precision());
  mpfi_set(value_, other.value_);
}

Interval::Interval(Interval&& other) noexcept {
  mpfi_init2(value_, 2);
  mpfi_swap(value_, other.value_);
}

Interval& Interval::operator=(const Interval& other) {
  if (this != &other) {
    mpfi_set_prec(value_, other.precision());
    mpfi_set(value_, other.value_);
  }
  return *this;
}

Interval& Interval::operator=(Interval&& other) noexcept {
  mpfi_swap(value_, other.value_);
  return *this;
}

Interval::~Interval() { mpfi_clear(value_); }

Rational Interval::lower() const { return rational_from_mpfr(&value_->left); }
Rational Interval::upper() const { return rational_from_mpfr(&value_->right); }

namespace {
// value * 2^bits as an integer, rounded in the direction given.
Integer scaled(const __mpfr_struct* value, unsigned bits, mpfr_rnd_t direction) {
  mpfr_t shifted;
  mpfr_init2(shifted, mpfr_get_prec(value));
  mpfr_mul_2ui(shifted, value, bits, direction);
  Integer result;
  mpfr_get_z(result.backend().data(), shifted, direction);
  mpfr_clear(shifted);
  return result;
}
}  // namespace

Integer Interval::floor_at(unsigned bits) const { return scaled(&value_->left, bits, MPFR_RNDD); }
Integer Interval::ceil_at(unsigned bits) const { return scaled(&value_->right, bits, MPFR_RNDU); }
bool Interval::is_positive() const { return mpfi_is_strictly_pos(value_) > 0; }
bool Interval::is_bounded() const { return mpfi_bounded_p(value_) != 0; }
unsigned Interval::precision() const { return static_cast<unsigned>(mpfi_get_prec(value_)); }

bool Interval::contains(const Rational& value) const {
  return mpfi_is_inside_q(value.backend().data(), value_) > 0;
}

namespace {
unsigned wider(const Interval& a, const Interval& b) {
  return std::max(a.precision(), b.precision());
}
}  // namespace

Interval operator+(const Interval& a, const Interval& b) {
  Interval result(Interval::Uninitialised{}, wider(a, b));
  mpfi_add(result.value_, a.value_, b.value_);
  return result;
}

Interval operator-(const Interval& a, const Interval& b) {
  Interval result(Interval::Uninitialised{}, wider(a, b));
  mpfi_sub(result.value_, a.value_, b.value_);
  return result;
}

Interval operator*(const Interval& a, const Interval& b) {
  Interval result(Interval::Uninitialised{}, wider(a, b));
  mpfi_mul(result.value_, a.value_, b.value_);
  return result;
}

Interval operator/(const Interval& a, const Interval& b) {
  Interval result(Interval::Uninitialised{}, wider(a, b));
  mpfi_div(result.value_, a.value_, b.value_);
  return result;
}

Interval operator-(const Interval& a) {
  Interval result(Interval::Uninitialised{}, a.precision());
  mpfi_neg(result.value_, a.value_);
  return result;
}

Interval exp(const Interval& a) {
  Interval result(Interval::Uninitialised{}, a.precision());
  mpfi_exp(result.value_, a.value_);
  return result;
}

bool certainly_less(const Interval& a, const Interval& b) {
  return a.is_bounded() && b.is_bounded() && a.upper() < b.lower();
}

bool overlap(const Interval& a, const Interval& b) {
  return !certainly_less(a, b) && !certainly_less(b, a);
}

Interval hull(const Interval& a, const Interval& b) {
  return {min(a.lower(), b.lower()), max(a.upper(), b.upper()), wider(a, b)};
}

std::vector<Interval> softmax(const std::vector<Interval>& logits) {
  const unsigned precision = logits.front().precision();
  std::vector<Interval> weights;
  weights.reserve(logits.size());
  for (std::size_t k = 0; k < logits.size(); ++k) {
    Interval denominator(1, precision);  // the l = k term, exactly
    for (std::size_t l = 0; l < logits.size(); ++l) {
      if (l != k) denominator = denominator + exp(logits[l] - logits[k]);
    }
    weights.push_back(Interval(1, precision) / denominator);
  }
  return weights;
}

}  // namespace sinkproof::exact
