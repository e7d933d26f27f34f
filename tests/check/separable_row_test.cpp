// separable-row on heads so simple that its bounds are known as fractions.
#include <catch2/catch.hpp>

#include "attention/rules.hpp"
#include "certificate/rule.hpp"

using namespace sinkproof;
using Kernels = certificate::BySeparableRow::Kernels;
using check::Rows;
using exact::make_rational;
using exact::Rational;
using json::Value;

namespace {

constexpr std::size_t kContent = 3;
constexpr std::size_t kFirstNoise = 2;

// One head of d_model 4, one noise coordinate, length 4; all its logits between two numbers.
struct Case {
  check::Layer layer;
  certificate::HeadRanges ranges;

  explicit Case(const std::string& kind, const Rational& low = 0, const Rational& high = 0)
      : layer{*certificate::find_attention(kind),
              {{4, 1, 4, {4, 4}, {4, 4}, certificate::token_map(4, {}), {}}},
              {},
              {0, 0, 0, 0}} {
    const certificate::KernelClass logits{low, high, {low, high}};
    ranges.content = {logits, logits, logits, std::nullopt};
    ranges.trigger = ranges.content;
    ranges.first = {0, 0};
  }
  Rational& logit(std::size_t query, std::size_t key) { return layer.heads[0].logit(query, key); }
  Rational& value(std::size_t r, std::size_t key) { return layer.heads[0].value(r, key); }

  [[nodiscard]] bool accepts(Rows rows, Kernels bound, const Rational& balance,
                             const Rational& upper) const {
    using certificate::BySeparableRow;
    BySeparableRow by;
    by.order = {0};
    by.trees.assign(8, "100");
    by.bound = bound;
    by.content.assign(8, {balance});
    by.own.assign(8, {balance, balance});
    if (rows == Rows::kPost) by.trigger = by.content;
    check::Layer coupled = layer;
    coupled.heads[0].coupling = check::Coupling(layer.heads[0].logit);
    coupled.ranges = {ranges};
    certificate::Bound stated;
    stated.rows = rows;
    stated.upper = upper;
    try {
      check::require_bound(coupled, stated, by);
    } catch (const check::Rejected&) {
      return false;
    }
    return true;
  }

  void proves(Rows rows, Kernels bound, const Rational& balance, const Rational& upper) const {
    CHECK(accepts(rows, bound, balance, upper));
    CHECK_FALSE(accepts(rows, bound, balance, upper - exact::power_of_two(-50)));
  }
};

}  // namespace

TEST_CASE("product is exact at a balance of value over score, and loses the mean's square else") {
  Case head("relu", 2, 2);
  head.logit(kContent, kContent) = 2;
  head.value(kContent, kContent) = make_rational(1, 2);
  head.proves(Rows::kPre, Kernels::kProduct, make_rational(1, 4), 1);
  head.proves(Rows::kPre, Kernels::kProduct, make_rational(1, 2), make_rational(9, 8));
  head.layer.constant[kContent] = 3;
  head.proves(Rows::kPre, Kernels::kProduct, make_rational(1, 4), 4);
}

TEST_CASE("the trigger counts once among the keys after it") {
  Case head("relu", 2, 2);
  head.logit(kContent, check::kTriggerFlag) = 2;
  head.value(kContent, check::kTriggerFlag) = 1;
  head.proves(Rows::kPost, Kernels::kProduct, make_rational(1, 2), make_rational(2, 3));
}

TEST_CASE("BOS counts in product where its score is positive, in chord as it is") {
  Case head("relu", 1, 1);
  head.logit(kContent, check::kBosFlag) = 1;
  head.value(kContent, check::kBosFlag) = 1;
  head.proves(Rows::kPre, Kernels::kProduct, 1, 1);
  head.logit(kContent, check::kBosFlag) = -1;
  CHECK(head.accepts(Rows::kPre, Kernels::kProduct, 1, 0));
}

TEST_CASE("chord: a constant kernel leaves what the values miss") {
  Case head("linear", make_rational(11, 10), make_rational(11, 10));
  for (const std::size_t key : {check::kTriggerFlag, kContent}) {
    head.logit(check::kTriggerFlag, key) = make_rational(11, 10);
    head.value(key, key) = 1;
  }
  head.value(kFirstNoise, kFirstNoise) = 1;
  // Rounding to multiples of 2^-64 is within this.
  const Rational least = make_rational(1, 10);
  CHECK(head.accepts(Rows::kTrigger, Kernels::kChord, 1, least + exact::power_of_two(-50)));
  CHECK_FALSE(head.accepts(Rows::kTrigger, Kernels::kChord, 1, least - exact::power_of_two(-50)));
}

TEST_CASE("chord: scores that move with the noise cost their own size and a square") {
  const Rational h = make_rational(1, 4);
  Case head("linear", 1 - h, 1 + h);
  for (const std::size_t key : {check::kTriggerFlag, kContent}) {
    head.logit(check::kTriggerFlag, key) = 1;
    head.value(key, key) = 1;
  }
  head.value(kFirstNoise, kFirstNoise) = 1;
  head.logit(kFirstNoise, kFirstNoise) = h;
  head.proves(Rows::kTrigger, Kernels::kChord, 1, h + h * h / 4);
  head.proves(Rows::kTrigger, Kernels::kChord, 4, h + h * h);
}

TEST_CASE("chord: a score that falls where its value grows may cost most inside the box") {
  const Rational h = make_rational(1, 4);
  Case head("linear", 1 - h, 1 + h);
  for (const std::size_t key : {check::kTriggerFlag, kContent}) {
    head.logit(check::kTriggerFlag, key) = 1;
    head.value(key, key) = 1;
  }
  head.value(kFirstNoise, kFirstNoise) = 1;
  head.logit(check::kTriggerFlag, kFirstNoise) = -h;
  // Without it the other sign of the coordinate, where the ends decide, loses more.
  head.layer.constant[kFirstNoise] = 1;
  head.proves(Rows::kTrigger, Kernels::kChord, 1, 1 + h + h * h / 8);
}

TEST_CASE("chord: where a kernel is not straight, its sag counts") {
  // relu on [-1, 1]: beta 1/2, within 1/4 of 1/4 + x/2; one content key's value is 1.
  Case head("relu", -1, 1);
  head.ranges.content.content.kernel = {0, 1};
  head.ranges.content.trigger.kernel = {0, 1};
  head.ranges.content.bos.kernel = {0, 1};
  head.value(kContent, kContent) = 1;
  head.proves(Rows::kPre, Kernels::kChord, 1, make_rational(1, 2));
  // sigmoid: at least its value of 1/2 at 0, and less than the curve's 1/10 more.
  Case curve("sigmoid", -1, 1);
  const certificate::Interval between{make_rational(1, 4), make_rational(3, 4)};
  for (auto* range :
       {&curve.ranges.content.bos, &curve.ranges.content.content, &curve.ranges.content.trigger}) {
    range->kernel = between;
  }
  curve.value(kContent, kContent) = 1;
  CHECK(curve.accepts(Rows::kPre, Kernels::kChord, 1, make_rational(6, 10)));
  CHECK_FALSE(curve.accepts(Rows::kPre, Kernels::kChord, 1, make_rational(1, 2)));
}

TEST_CASE("product is for relu alone") {
  Case head("linear", 1, 1);
  CHECK(head.accepts(Rows::kPre, Kernels::kChord, 1, 0));
  CHECK_FALSE(head.accepts(Rows::kPre, Kernels::kProduct, 1, 0));
}
