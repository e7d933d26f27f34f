// A row's weights against the formulas in doubles, at both ends of wide logits, and against exact
// fractions where the kind has them.
#include "forward/weights.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "forward/elementary.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using certificate::Attention;
using certificate::AttentionKind;
using certificate::Kernel;
using exact::Integer;
using exact::Rational;
using forward::Range;

namespace {

constexpr unsigned kBits = 48;

Integer whole(double x) {
  return exact::floor(rounded::from_double(x) * exact::power_of_two(kBits));
}

double real(const Integer& n) {
  return std::ldexp(n.convert_to<double>(), -static_cast<int>(kBits));
}

double kernel(Kernel kernel, double x) {
  switch (kernel) {
    case Kernel::kExp:
      return std::exp(x);
    case Kernel::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Kernel::kElu1:
      return x < 0 ? std::exp(x) : x + 1;
    case Kernel::kRelu:
      return std::max(0.0, x);
    case Kernel::kLinear:
      break;
  }
  return x;
}

struct Ends {
  double lower;
  double upper;
};

// The weight of logit `of` at its least: this one at the lower end, the others at the upper ones;
// or the other way round. A null slot's logit is the last.
double extreme(const AttentionKind& kind, const std::vector<Ends>& logits, std::size_t of,
               bool least) {
  double own = 0;
  double total = 0;
  for (std::size_t k = 0; k < logits.size(); ++k) {
    const double value =
        kernel(kind.kernel, (k == of) == least ? logits[k].lower : logits[k].upper);
    if (k == of) own = value;
    total += value;
  }
  if (!kind.normalised) return own / std::max(1.0, static_cast<double>(logits.size()) - 1);
  return own / total;
}

void check_near(const Range& range, double lower, double upper) {
  constexpr double kError = 1e-11;  // of the doubles, and some units
  CHECK(range.lower <= range.upper);
  CHECK(std::abs(real(range.lower) - lower) < kError);
  CHECK(std::abs(real(range.upper) - upper) < kError);
  CHECK(real(range.lower) <= lower + 1e-14);
  CHECK(real(range.upper) >= upper - 1e-14);
}

std::vector<Range> wholes(const std::vector<Ends>& logits) {
  std::vector<Range> result;
  for (const Ends& ends : logits) result.push_back({whole(ends.lower), whole(ends.upper)});
  return result;
}

}  // namespace

TEST_CASE("weights of every kind are what the formulas give at both ends of wide logits") {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (const AttentionKind& kind : certificate::kAttentionKinds) {
    INFO(kind.name);
    for (std::size_t keys = 1; keys <= 5; ++keys) {
      for (int round = 0; round < 8; ++round) {
        std::vector<Ends> logits(keys);
        for (Ends& ends : logits) {
          const double one = uniform(random);
          const double other = round % 2 == 0 ? one : uniform(random);
          ends = {std::min(one, other), std::max(one, other)};
        }
        const Ends sink = round < 2 ? Ends{0, 0} : Ends{uniform(random) - 2, uniform(random) + 2};
        const auto weights = forward::weights_of(kind, wholes(logits), wholes({sink})[0], kBits);
        if (kind.null_slot) logits.push_back(sink);
        REQUIRE(weights.keys.size() == keys);
        for (std::size_t k = 0; k < keys; ++k) {
          check_near(weights.keys[k], extreme(kind, logits, k, true),
                     extreme(kind, logits, k, false));
        }
        if (!kind.null_slot) {
          CHECK((weights.null.lower == 0 && weights.null.upper == 0));
          continue;
        }
        check_near(weights.null, extreme(kind, logits, keys, true),
                   extreme(kind, logits, keys, false));
      }
    }
  }
}

TEST_CASE("weights of relu and linear rows are exact fractions, points where they are dyadic") {
  const Integer one = Integer(1) << kBits;
  const std::vector<Range> row = {
      {one, one}, {-2 * one, -2 * one}, {5 * one, 5 * one}, {one / 4, one / 4}};
  const Rational logits[] = {1, -2, 5, exact::make_rational(1, 4)};
  for (const Attention attention : {Attention::kRelu, Attention::kLinear}) {
    for (std::size_t keys = 1; keys <= 4; ++keys) {
      const auto weights = forward::weights_of(certificate::kind_of(attention),
                                               {row.begin(), row.begin() + static_cast<long>(keys)},
                                               {one, one}, kBits);
      const std::size_t divisor = std::max<std::size_t>(1, keys - 1);
      for (std::size_t k = 0; k < keys; ++k) {
        const Rational kernel =
            attention == Attention::kRelu ? exact::max(logits[k], 0) : logits[k];
        const Rational scaled = kernel / divisor * exact::power_of_two(kBits);
        CHECK(Rational(weights.keys[k].lower) <= scaled);
        CHECK(scaled <= Rational(weights.keys[k].upper));
        const bool point = boost::multiprecision::denominator(scaled) == 1;
        CHECK(weights.keys[k].upper - weights.keys[k].lower == (point ? 0 : 1));
      }
    }
  }
}

TEST_CASE("normalised weights of logits far apart lie between 0 and 1, and none is denied") {
  const Integer one = Integer(1) << kBits;
  const Integer far = one << 40;
  for (const AttentionKind& kind : certificate::kAttentionKinds) {
    if (!kind.normalised) continue;
    INFO(kind.name);
    const std::vector<Range> rows[] = {{{far, far}, {-far, -far}},
                                       {{-far, -far}},
                                       {{-far, far}, {-far, far}, {0, 0}},
                                       {{-far, -far}, {-far, -far}}};
    for (const auto& row : rows) {
      const Range sink = kind.sinks ? row.front() : Range{0, 0};
      const auto weights = forward::weights_of(kind, row, sink, kBits);
      for (const Range& weight : weights.keys) {
        CHECK((weight.lower >= 0 && weight.lower <= weight.upper && weight.upper <= one));
        CHECK(weight.upper > 0);  // a positive number, however small
      }
      CHECK((weights.null.lower >= 0 && weights.null.upper <= one));
    }
    // 2^40 or, for kinds that stop at 1, two kernels of which one is as good as 0.
    CHECK(forward::weights_of(kind, rows[0], {0, 0}, kBits).keys[0].lower >= one - 2);
    CHECK(forward::weights_of(kind, rows[0], {0, 0}, kBits).keys[1].lower == 0);
  }
}

TEST_CASE("equal logits share exactly, and a logistic function of 0 is a half") {
  const Integer one = Integer(1) << kBits;
  for (const AttentionKind& kind : certificate::kAttentionKinds) {
    if (!kind.normalised) continue;
    INFO(kind.name);
    const bool shifts = kind.is_relative() && (kind.sinks || !kind.null_slot);
    const Integer logit = shifts ? Integer(3 * one) : Integer(0);
    const Range same = {logit, logit};
    const int shares = kind.null_slot ? 4 : 2;
    const std::vector<Range> keys(shares - (kind.null_slot ? 1 : 0), same);
    for (const Range& weight : forward::weights_of(kind, keys, same, kBits).keys) {
      CHECK((weight.lower == one / shares && weight.upper == one / shares));
    }
  }
  const Range half = forward::logistic({0, 0}, kBits);
  CHECK((half.lower == one / 2 && half.upper == one / 2));
}

TEST_CASE("the logistic function's range holds both ends") {
  for (const Ends& ends : {Ends{-1.25, 0.75}, Ends{-3, -2}, Ends{2, 3}, Ends{0, 0}}) {
    check_near(forward::logistic({whole(ends.lower), whole(ends.upper)}, kBits),
               kernel(Kernel::kSigmoid, ends.lower), kernel(Kernel::kSigmoid, ends.upper));
  }
  const Integer far = Integer(1) << (2 * kBits - 1);
  const Range all = forward::logistic({-far, far}, kBits);
  CHECK((all.lower == 0 && all.upper == Integer(1) << kBits));
  const Range none = forward::logistic({-far, -far}, kBits);
  CHECK((none.lower == 0 && none.upper == 1));
}
