// Bounds over the box against the forward pass: whatever a small random stack of any kind does on
// an input of the box lies within them.
#include "forward/box_pass.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <thread>
#include <vector>

#include "drawn_stack.hpp"

using namespace sinkproof;
using namespace sinkproof::test;

namespace {

// Entry (i, 1) of the product of the layers' matrices, of the middles of the weights' ranges, for
// each row.
std::vector<Rational> rollout_of(const forward::Model& model, const RationalMatrix& tokens) {
  std::vector<std::vector<Rational>> arrives(model.blocks.size() + 1,
                                             std::vector<Rational>(tokens.rows()));
  arrives[0][0] = 1;
  const forward::Prepared prepared(model);
  const auto out = forward::pass(
      prepared, tokens, 1, kBits,
      [&](std::size_t layer, std::size_t, std::size_t row, const forward::Weights& weights) {
        for (std::size_t k = 0; k < row; ++k) {
          const auto weight = forward::enclosure(weights.keys[k], kBits);
          arrives[layer + 1][row - 1] += (weight.lower + weight.upper) / 2 * arrives[layer][k];
        }
      });
  REQUIRE(out.has_value());
  return arrives.back();
}

}  // namespace

TEST_CASE("box pass: the rollout of a stack of averaging heads lies within its bounds") {
  const Rational rounding = exact::power_of_two(-100);
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (!kind.averages()) continue;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Draw draw(seed);
      const forward::Model model = draw.model(kind, 2 + seed % 2, false, 1);
      const forward::BoxRequest request{6, 3, 6, 1 + seed % 2, 1};
      INFO(kind.name << " seed " << seed);
      const auto bounds = forward::box_bounds(model, request);
      REQUIRE(bounds.has_value());
      for (int trial = 0; trial < 60; ++trial) {
        const std::size_t j = 3 + draw.below(4);
        const auto rollout = rollout_of(model, draw.sequence(request.length, j, request.box));
        for (std::size_t row = 2; row <= request.length; ++row) {
          const forward::Range& all = *bounds->rollout[class_of(row, j)];
          CHECK(in_units(all.lower) <= rollout[row - 1] + rounding);
          CHECK(rollout[row - 1] - rounding <= in_units(all.upper));
        }
      }
    }
  }
}

// The first layer sends content rows to BOS and averages at the trigger's; in the second, rows at
// BOS look at such rows, the others at such (examples/stacks/rollout.stack.json): the rollout does
// not depend on the noise, 0 at the trigger's row and else 1, up to exp(-8).
TEST_CASE("box pass: the rollout is bounded for each position of the trigger by its own rows") {
  constexpr std::size_t kTrigger = certificate::kTriggerFlag;
  constexpr std::size_t kContent = kWidth - 1;
  forward::AttentionBlock block = zero_block(certificate::Attention::kSoftmax, false);
  for (std::size_t c = 0; c < kWidth; ++c) {
    block.value.weight(c, c) = 1;
    block.output.weight(c, c) = 1;
  }
  block.key.weight(0, certificate::kBosFlag) = 1;
  block.key.weight(1, kTrigger) = 1;
  block.key.weight(1, kContent) = 1;
  forward::AttentionBlock second = block;
  block.query.weight(0, kContent) = 8;
  block.query.weight(1, kTrigger) = 8;
  second.query.weight(0, certificate::kBosFlag) = 8;
  second.query.weight(1, kTrigger) = 8;
  second.query.weight(1, kContent) = 8;
  const forward::Model model{kWidth, {block, second}};
  const forward::BoxRequest request{8, 3, 8, 1, 1};
  const auto bounds = forward::box_bounds(model, request);
  REQUIRE(bounds.has_value());
  Draw draw(1);
  const Rational near = exact::make_rational(1, 2000);
  for (std::size_t rows = 0; rows < forward::BoxBounds::kClasses; ++rows) {
    Rational least = 1;
    Rational most = 0;
    for (std::size_t j = 3; j <= request.length; ++j) {
      const auto rollout = rollout_of(model, draw.sequence(request.length, j, request.box));
      for (std::size_t row = 2; row <= request.length; ++row) {
        if (class_of(row, j) != rows) continue;
        least = exact::min(least, rollout[row - 1]);
        most = exact::max(most, rollout[row - 1]);
      }
    }
    INFO("class " << rows);
    const Rational lower = in_units(bounds->rollout[rows]->lower);
    const Rational upper = in_units(bounds->rollout[rows]->upper);
    CHECK(lower <= least);
    CHECK(least - lower <= near);
    CHECK(most <= upper);
    CHECK(upper - most <= near);
  }
}

TEST_CASE("box pass: no input of a stack of any kind lies outside") {
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
      Draw draw(seed);
      const std::size_t depth = 1 + seed % 3;
      const forward::Model model = draw.model(kind, depth, seed % 2 == 0);
      const std::size_t first = 3 + draw.below(2);
      const forward::BoxRequest request{5 + draw.below(2),
                                        first,
                                        first + draw.below(2),
                                        1 + draw.below(3),
                                        1 + draw.below(2),
                                        certificate::Rows::kPost,
                                        draw.box()};
      INFO(kind.name << " depth " << depth << " seed " << seed);
      const auto bounds = forward::box_bounds(model, request);
      if (!bounds) continue;  // an unnormalised kind's numbers may grow beyond it
      require_within(model, request, *bounds, draw, 40);
    }
  }
}

// Where logits are known well, weights are polynomials: higher degrees see what cancels.
TEST_CASE("box pass: polynomials of the weights of softmax enclose, the tighter the more terms") {
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (kind.kernel != certificate::Kernel::kExp) continue;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Draw draw(seed);
      forward::Model model = draw.model(kind, 2, seed % 2 == 0);
      for (forward::AttentionBlock& block : model.blocks) block.scale = exact::make_rational(1, 8);
      INFO(kind.name << " seed " << seed);
      const auto loss = [&](std::size_t degree) {
        const forward::BoxRequest request{5, 3, 3 + seed % 2, degree, degree};
        const auto bounds = forward::box_bounds(model, request);
        REQUIRE(bounds.has_value());
        require_within(model, request, *bounds, draw, 20);
        return *bounds->loss[static_cast<std::size_t>(certificate::Rows::kTrigger)];
      };
      CHECK(loss(4) < loss(1));
    }
  }
}

TEST_CASE("box pass: what lies behind the class asked for is not bounded") {
  Draw draw(1);
  const forward::Model model =
      draw.model(certificate::kind_of(certificate::Attention::kSoftmax), 2, true);
  const auto all = forward::box_bounds(model, {5, 3, 4, 2, 1});
  REQUIRE(all.has_value());
  for (const auto last : {certificate::Rows::kPre, certificate::Rows::kTrigger}) {
    const auto some = forward::box_bounds(model, {5, 3, 4, 2, 1, last});
    REQUIRE(some.has_value());
    for (std::size_t rows = 0; rows < forward::BoxBounds::kClasses; ++rows) {
      const bool is_followed = rows <= static_cast<std::size_t>(last);
      CHECK(some->loss[rows].has_value() == is_followed);
      if (is_followed) CHECK(some->loss[rows] == all->loss[rows]);
    }
  }
}

TEST_CASE("box pass: positions of the trigger may be followed in any order, on any threads") {
  Draw draw(2);
  const forward::Model model =
      draw.model(certificate::kind_of(certificate::Attention::kSoftmaxNull), 2, false);
  const forward::BoxRequest request{6, 3, 6, 2, 1};
  const auto plain = forward::box_bounds(model, request);
  REQUIRE(plain.has_value());
  const auto backwards = [](std::size_t count, const std::function<void(std::size_t)>& follow) {
    for (std::size_t k = count; k-- > 0;) follow(k);
  };
  const auto at_once = [](std::size_t count, const std::function<void(std::size_t)>& follow) {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < count; ++k) threads.emplace_back([&, k] { follow(k); });
  };
  for (const forward::ForEach& each : {forward::ForEach(backwards), forward::ForEach(at_once)}) {
    const auto bounds = forward::box_bounds(model, request, each);
    REQUIRE(bounds.has_value());
    CHECK(bounds->loss == plain->loss);
    for (std::size_t l = 0; l < plain->paid.size(); ++l) {
      for (std::size_t h = 0; h < plain->paid[l].size(); ++h) {
        for (std::size_t rows = 0; rows < forward::BoxBounds::kClasses; ++rows) {
          const auto& expected = *plain->paid[l][h][rows];
          const auto& found = *bounds->paid[l][h][rows];
          CHECK((found.bos.lower == expected.bos.lower && found.bos.upper == expected.bos.upper));
          CHECK(
              (found.null.lower == expected.null.lower && found.null.upper == expected.null.upper));
        }
      }
    }
  }
  CHECK_FALSE(
      forward::box_bounds(model, request, [](std::size_t, const auto& follow) { follow(1); }));
  CHECK_THROWS_AS(forward::box_bounds(model, request, [](std::size_t, const auto&) { throw 7; }),
                  int);
}

TEST_CASE("box pass: an averaging head's losses are exact up to rounding") {
  require_means(forward::box_bounds(averaging_head(), {6, 3, 6, 1, 1}), exact::power_of_two(-50));
}
