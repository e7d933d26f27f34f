// Shares of exp as polynomials of the logits' letters against the shares themselves.
#include "forward/kernel_polynomials.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "forward/weights.hpp"
#include "polynomial_values.hpp"

using namespace sinkproof;
using namespace sinkproof::test;
using exact::Integer;

namespace {

constexpr unsigned kBits = 64;
const Integer kOne = Integer(1) << kBits;

// BOS, a class of `count` keys and the row itself, letters 2, 3 and 4.
forward::LiftedRow drawn(std::mt19937_64& random, std::size_t count, bool keeps, bool null,
                         unsigned narrow) {
  const auto number = [&](std::uint64_t n) { return Integer(random() % n); };
  forward::LiftedRow row;
  row.kept = keeps ? count : 0;
  row.degree = 4;
  for (std::uint32_t k = 0; k < 3; ++k) {
    Monomial letter;
    (k == 1 ? letter.key : letter.own).push_back(2 + k);
    const std::size_t others = keeps ? count - (k == 1 ? 1 : 0) : 0;
    // Multiples of 4, for letters in quarters.
    row.keys.push_back({(number(1U << 16U) << 48U) * 3 - 2 * kOne,
                        number(1U << 16U) << (48U - narrow), letter, k == 1 ? count : 1, others});
  }
  if (null) row.null = forward::Range{-kOne / 2, kOne / 3};
  return row;
}

}  // namespace

TEST_CASE("exponential shares: every share is within the remainder, which is small") {
  std::mt19937_64 random(1);
  int wide_shares = 0;
  const auto quarter = [&] {
    return exact::make_rational(static_cast<std::int64_t>(random() % 9) - 4, 4);
  };
  for (int round = 0; round < 60; ++round) {
    const bool null = round % 3 == 0;
    const bool keeps = round % 2 == 0;
    const std::size_t count = 1 + random() % 4;
    forward::LiftedRow row = drawn(random, count, keeps, null, 3);
    // The kernel of the class of keys is an interval where its logits may move by more than 1.
    const bool wide = round % 5 == 4;
    if (wide) {
      forward::LiftedKeys& keys = row.keys[1];
      keys.radius = kOne + kOne / 8;
      keys.logit = {keys.centre - keys.radius, keys.centre + keys.radius};
    }
    const auto kind = certificate::kind_of(null ? certificate::Attention::kSoftmaxNull
                                                : certificate::Attention::kSoftmax);
    const auto shares = forward::lifted_weights(kind, row, kBits);
    if (wide && !shares) continue;  // its sum of kernels may be 0, as far as is known
    REQUIRE(shares.has_value());
    wide_shares += wide ? 1 : 0;
    for (int trial = 0; trial < 5; ++trial) {
      const Noise own = {quarter(), 0, quarter()};
      std::vector<Noise> keys;
      std::vector<forward::Range> logits;
      const auto add_logit = [&](std::size_t k, const Rational& letter) {
        const Integer logit =
            row.keys[k].centre + exact::floor(Rational(row.keys[k].radius) * letter);
        logits.push_back({logit, logit});
      };
      add_logit(0, own[0]);
      for (std::size_t k = 0; k < count; ++k) {
        keys.push_back({0, quarter(), 0});
        add_logit(1, keys.back()[1]);
      }
      add_logit(2, own[2]);
      const auto weights =
          forward::weights_of(kind, logits, row.null.value_or(forward::Range{}), kBits);
      const auto check = [&](std::size_t k, const Point& at, const forward::Range& weight) {
        const Rational found = value((*shares)[k], 0, at);
        CHECK(found - (*shares)[k].remainder[0] <= Rational(weight.upper));
        CHECK(Rational(weight.lower) <= found + (*shares)[k].remainder[0]);
      };
      check(0, {own, {}, keys}, weights.keys.front());
      for (std::size_t k = 0; k < count; ++k) {
        Point at{own, keys[k], keys};
        at.others.erase(at.others.begin() + static_cast<std::ptrdiff_t>(k));
        if (!keeps) at.others.clear();
        check(1, at, weights.keys[1 + k]);
      }
      check(2, {own, {}, keys}, weights.keys.back());
    }
    if (keeps && !null && !wide) {
      for (const Polynomials& share : *shares) CHECK(share.remainder[0] < kOne >> 12U);
    }
  }
  CHECK(wide_shares >= 6);
}
