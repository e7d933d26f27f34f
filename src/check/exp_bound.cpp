#include "check/exp_bound.hpp"

#include "check/rejected.hpp"
#include "exact/exp_enclosure.hpp"

namespace sinkproof::check {
namespace {
constexpr unsigned kBits = 96;
}

using exact::Rational;

Rational exp_down(const Rational& x) {
  if (x < -exact::kMaxExpArgument) return 0;
  return value_of(exact::exp_enclosure(exact::min(x, exact::kMaxExpArgument), kBits)).lower;
}

Rational exp_up(const Rational& x) {
  return value_of(exact::exp_enclosure(exact::max(x, -exact::kMaxExpArgument), kBits)).upper;
}

}  // namespace sinkproof::check
