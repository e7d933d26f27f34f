// The rollout's range against every corner of the weights' ranges, and against the product of
// matrices where weights are single numbers.
#include "forward/rollout.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "exact/rational.hpp"

using namespace sinkproof;
using exact::Integer;
using forward::Range;

namespace {

constexpr unsigned kBits = 16;
const Integer kOne = Integer(1) << kBits;

// Shares that sum to one, and ranges around them.
std::vector<Range> ranges_around_shares(std::size_t count, int widest, std::mt19937_64& random) {
  std::vector<Integer> cuts = {0, kOne};
  for (std::size_t k = 1; k < count; ++k) cuts.emplace_back(random() % (1U << kBits));
  std::sort(cuts.begin(), cuts.end());
  std::vector<Range> ranges;
  for (std::size_t k = 0; k < count; ++k) {
    const Integer share = cuts[k + 1] - cuts[k];
    const auto slack = [&] { return Integer(random() % static_cast<unsigned>(widest)); };
    ranges.push_back(
        {std::max(Integer(0), Integer(share - slack())), std::min(kOne, Integer(share + slack()))});
  }
  return ranges;
}

// sum of w_k x_k over all corners of {lower <= w <= upper, sum w = 1}: all weights at an end but
// one.
std::vector<Integer> sums_at_corners(const std::vector<Range>& weights,
                                     const std::vector<Integer>& x) {
  std::vector<Integer> result;
  for (std::size_t free = 0; free < x.size(); ++free) {
    for (unsigned ends = 0; ends < 1U << x.size(); ++ends) {
      Integer rest = kOne;
      Integer sum = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (k == free) continue;
        const Integer w = (ends >> k & 1U) != 0 ? weights[k].upper : weights[k].lower;
        rest -= w;
        sum += w * x[k];
      }
      if (rest < weights[free].lower || rest > weights[free].upper) continue;
      result.push_back(sum + rest * x[free]);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("rollout: each end is the worst choice of shares") {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    constexpr std::size_t kRows = 5;
    forward::Rollout rollout(2, kRows, kBits);
    std::vector<Integer> least = {kOne};
    std::vector<Integer> most = {kOne};
    for (std::size_t row = 2; row <= kRows; ++row) {
      const auto weights = ranges_around_shares(row, 1 + trial * 100, random);
      const Range& at = rollout.follow(0, row, weights);
      // Layer 0 sees BOS alone.
      Integer least_others = 0;
      Integer most_others = 0;
      for (std::size_t k = 1; k < row; ++k) {
        least_others += weights[k].lower;
        most_others += weights[k].upper;
      }
      CHECK(at.lower == std::max(weights[0].lower, Integer(kOne - most_others)));
      CHECK(at.upper == std::min(weights[0].upper, Integer(kOne - least_others)));
      least.push_back(at.lower);
      most.push_back(at.upper);
    }
    const auto weights = ranges_around_shares(kRows, 1 + trial * 100, random);
    const Range& at = rollout.follow(1, kRows, weights);
    const auto low = sums_at_corners(weights, least);
    const auto high = sums_at_corners(weights, most);
    REQUIRE(!low.empty());
    CHECK(at.lower == *std::min_element(low.begin(), low.end()) >> kBits);
    CHECK(at.upper == (*std::max_element(high.begin(), high.end()) + kOne - 1) >> kBits);
  }
}

TEST_CASE("rollout: of single weights it is the product of the layers' matrices") {
  const auto at = [](int quarters) { return Range{kOne * quarters / 4, kOne * quarters / 4}; };
  forward::Rollout rollout(3, 3, kBits);
  for (std::size_t layer = 0; layer < 3; ++layer) {
    rollout.follow(layer, 1, {at(4)});
    rollout.follow(layer, 2, {at(1), at(3)});
    const Range& third = rollout.follow(layer, 3, {at(1), at(1), at(2)});
    // Off BOS: 3/4 of row 2 stays, 1/4 and 1/2 of row 3: 3/4, 9/16, 27/64.
    const Integer off[] = {48, 36, 27};
    CHECK(kOne - third.lower == kOne * off[layer] / 64);
    CHECK(third.lower == third.upper);
  }
}

TEST_CASE(
    "rollout: a stack of averaging heads, one a layer, without residual connections has one") {
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    forward::AttentionBlock block;
    block.kind = kind;
    block.heads = 1;
    block.residual = false;
    CHECK(forward::has_rollout({5, {block}}) == kind.averages());
    block.residual = true;
    CHECK_FALSE(forward::has_rollout({5, {block}}));
    block.residual = false;
    block.heads = 2;
    CHECK_FALSE(forward::has_rollout({5, {block}}));
  }
}
