#include "output/nearest_double.hpp"

#include <mpfr.h>

namespace sinkproof::output {
namespace {

using exact::Rational;
using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);  // an increasing function

constexpr mpfr_prec_t kFirstPrecision = 128;

// function(value) rounded downwards or upwards at `precision`, then to the nearest double.
double end(Function function, const Rational& value, mpfr_prec_t precision, mpfr_rnd_t direction) {
  mpfr_t number;
  mpfr_init2(number, precision);
  mpfr_set_q(number, value.backend().data(), direction);
  function(number, number, direction);
  const double result = mpfr_get_d(number, MPFR_RNDN);
  mpfr_clear(number);
  return result;
}

// Ends for every rational: a value halfway between two doubles is dyadic and becomes a point. A
// root is rational, so that it becomes a point, or irrational, and so is the logarithm of all
// but 1.
double nearest(Function function, const Rational& value) {
  for (mpfr_prec_t precision = kFirstPrecision;; precision *= 2) {
    const double lower = end(function, value, precision, MPFR_RNDD);
    const double upper = end(function, value, precision, MPFR_RNDU);
    if (lower == upper) return lower;
  }
}

}  // namespace

double nearest_double(const Rational& value) {
  return nearest(
      [](mpfr_ptr to, mpfr_srcptr from, mpfr_rnd_t) { return mpfr_set(to, from, MPFR_RNDN); },
      value);
}

double nearest_root(const Rational& value) {
  return nearest([](mpfr_ptr to, mpfr_srcptr from,
                    mpfr_rnd_t direction) { return mpfr_sqrt(to, from, direction); },
                 value);
}

double nearest_log(const Rational& value) {
  return nearest([](mpfr_ptr to, mpfr_srcptr from,
                    mpfr_rnd_t direction) { return mpfr_log(to, from, direction); },
                 value);
}

}  // namespace sinkproof::output
