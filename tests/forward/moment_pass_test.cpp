// Bounds over the box by means and covariances of keys against the forward pass.
#include "forward/moment_pass.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "drawn_stack.hpp"
#include "forward/content_rows.hpp"
#include "row_letters.hpp"

using namespace sinkproof;
using namespace sinkproof::test;

namespace {

// Logits: of trigger's rows to content tokens, of content rows to the trigger's `size`, to content
// tokens -size. Noise coordinate 0 is copied into BOS's flag, and then back with the other sign.
forward::Model copying_twice(std::int64_t size) {
  forward::AttentionBlock block = zero_block(certificate::Attention::kSoftmax, true);
  constexpr std::size_t kContent = kWidth - 1;
  block.query.weight(0, kContent) = -size;
  block.query.weight(0, certificate::kTriggerFlag) = size;
  block.query.weight(1, kContent) = size;
  block.key.weight(0, kContent) = block.key.weight(1, certificate::kTriggerFlag) = 1;
  block.value.weight(0, certificate::kNoise) = block.output.weight(0, certificate::kBosFlag) = 1;
  forward::Model model{kWidth, {block, block}};
  model.blocks[1].value.weight(0, certificate::kNoise) = 0;
  model.blocks[1].value.weight(0, certificate::kBosFlag) = -1;
  return model;
}

}  // namespace

TEST_CASE("moment pass: no input of a stack of softmax attention lies outside") {
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kSoftmax);
  for (std::uint64_t seed = 0; seed < 28; ++seed) {
    Draw draw(seed);
    forward::Model model = draw.model(kind, 1 + seed % 3, seed % 2 == 0);
    // Weights nearly uniform, so that what is left out of first order would be seen, to far from
    // it.
    for (forward::AttentionBlock& block : model.blocks) {
      block.scale = exact::make_rational(1, std::int64_t{1} << (2 * (seed % 4)));
    }
    const std::size_t first = 3 + draw.below(3);
    const forward::BoxRequest request{first + 1 + draw.below(2),
                                      first,
                                      first + draw.below(2),
                                      1 + draw.below(4),
                                      1 + draw.below(4),
                                      certificate::Rows::kPost,
                                      draw.box()};
    INFO("seed " << seed);
    const auto bounds = forward::moment_bounds(model, request);
    if (!bounds && seed % 4 == 0) continue;  // logits so far apart that a group has no share
    REQUIRE(bounds.has_value());
    require_within(model, request, *bounds, draw, 60);
  }
}

// Values that are copied, from all tokens but BOS with nearly the same weights, are nearly the mean
// that is asked for. What is left is how logits and values go together: what is missing there, or
// of the wrong sign, shows.
TEST_CASE("moment pass: no corner of an averaging layer lies outside the bounds, which are close") {
  constexpr std::size_t kTrigger = 6;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Draw draw(seed);
    forward::AttentionBlock block = zero_block(certificate::Attention::kSoftmax, false);
    block.scale = exact::make_rational(1, 16);
    block.query = draw.affine(kWidth, kWidth, false);
    block.key = draw.affine(kWidth, kWidth, false);
    for (std::size_t c = 0; c < kWidth; ++c) {
      block.value.weight(c, c) = block.output.weight(c, c) = 1;
      block.query.weight(0, c) = c == kWidth - 1 || c == certificate::kTriggerFlag ? 32 : 0;
      block.key.weight(0, c) = c == certificate::kBosFlag ? -4 : 0;
    }
    const forward::Model model{kWidth, {block}};
    const forward::BoxRequest request{kTrigger,     kTrigger, kTrigger,
                                      2 + seed % 3, 2,        certificate::Rows::kTrigger};
    const auto bounds = forward::moment_bounds(model, request);
    REQUIRE(bounds.has_value());
    const Rational attained = attained_at_corners(model, kTrigger, draw);
    const Rational bound = in_units(*bounds->loss[1]);
    INFO("seed " << seed << " attained " << attained.convert_to<double>() << " bound "
                 << bound.convert_to<double>());
    CHECK(attained <= bound);
    CHECK(bound <= attained * (request.degree == 2 ? 2 : exact::make_rational(4, 3)));
  }
}

// The second row sees BOS and itself alone: its share is the logistic function of a polynomial.
TEST_CASE("moment pass: no second row lies outside its bounds, which are not far") {
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kSoftmax);
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Draw draw(seed);
    const forward::Model model = draw.model(kind, 1, seed % 2 == 0, 1);
    const forward::BoxRequest request{3, 3, 3, 4, 2 + seed % 3, certificate::Rows::kPre};
    const auto bounds = forward::moment_bounds(model, request);
    REQUIRE(bounds.has_value());
    const forward::Prepared prepared(model);
    Rational attained = 0;
    for (int u = -4; u <= 4; ++u) {
      for (int v = -4; v <= 4; ++v) {
        RationalMatrix tokens = draw.sequence(2, 3, request.box);
        tokens(1, certificate::kNoise) = exact::make_rational(u, 4);
        tokens(1, certificate::kNoise + 1) = exact::make_rational(v, 4);
        const auto out = forward::pass(prepared, tokens, 1, kBits, {});
        REQUIRE(out.has_value());
        for (std::size_t row = 1; row <= 2; ++row) {
          attained = exact::max(attained,
                                loss_at_least(*out, tokens, 3, row, model.blocks.front().residual));
        }
      }
    }
    const Rational bound = in_units(*bounds->loss[0]);
    INFO("seed " << seed << " attained " << attained.convert_to<double>() << " bound "
                 << bound.convert_to<double>());
    CHECK(attained <= bound);
    CHECK(bound <= attained * exact::make_rational(5, 2));
  }
}

TEST_CASE("moment pass: a key holds its box, whatever the ends of it are") {
  const Rational third = exact::make_rational(1, 3);
  const certificate::Box boxes[] = {{{{-third, third * 2}, {third / 7, third}}},
                                    {{{-1, 1}, {-third / 5, third / 5}}}};
  for (const certificate::Box& box : boxes) {
    const forward::MomentModel fixed({kWidth, {zero_block(certificate::Attention::kRelu, true)}},
                                     box);
    for (std::size_t a = 0; a < fixed.noise; ++a) {
      const std::size_t c = certificate::kNoise + a;
      const Rational around =
          units(fixed.content.columns(c, a)) + units(fixed.content.remainder[c]);
      const auto& [least, greatest] = box.of(a);
      CHECK(units(fixed.content.centre[c]) - around <= least);
      CHECK(greatest <= units(fixed.content.centre[c]) + around);
      CHECK(around <= box.radius(a) + exact::power_of_two(-34));
    }
  }
}

// A row's letters, each with what it may be: one number of its letters.
TEST_CASE("moment pass: no letter means two things, and there are no more than there are numbers") {
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kRelu);
  Draw draw(0);
  const forward::MomentModel fixed(draw.model(kind, 3, true, 2), {});
  const auto& letters = fixed.letters;
  const std::size_t columns = letters.alphabet.columns;
  const std::vector<std::pair<std::size_t, std::size_t>> taken = {
      {1, fixed.noise},
      {letters.fresh, 3 * 2 * kWidth},
      {letters.own, columns},
      {letters.trigger, 3 * kWidth},
      {letters.keys.mean, columns},
      {letters.keys.key, columns},
      {letters.alphabet.spread, columns * columns}};
  std::size_t free = 1;
  for (const auto& [first, count] : taken) {
    CHECK(first >= free);
    free = first + count;
  }
  CHECK(free <= UINT16_MAX);
  forward::AttentionBlock block = zero_block(certificate::Attention::kRelu, false);
  block.heads = UINT16_MAX / kWidth;
  CHECK_FALSE(forward::moment_bounds({kWidth, {block}}, {4, 3, 3, 2, 2}).has_value());
}

// Corner by corner, so that a column that is too short, or one that is missing, shows.
TEST_CASE("content rows: what a row sees of them holds every one of them") {
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kSoftmax);
  constexpr std::size_t kRows = 5;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Draw draw(seed);
    const std::size_t depth = 1 + seed % 2;
    forward::Model model = draw.model(kind, depth + 1, seed % 4 < 2);
    model.blocks.front().scale = exact::make_rational(1, seed % 3 == 0 ? 1 : 16);
    const certificate::Box box = draw.box();
    const forward::MomentModel fixed(model, box);
    const forward::ContentRows rows(fixed, kRows - 1, nullptr);
    const forward::ContentKeys& keys = *rows.seen(depth).keys;
    model.blocks.resize(depth);
    const forward::Prepared prepared(model);
    for (int trial = 0; trial < 200; ++trial) {
      const auto out = forward::pass(prepared, draw.sequence(kRows, kRows + 1, box), 1, kBits, {});
      REQUIRE(out.has_value());
      for (std::size_t c = 0; c < kWidth; ++c) {
        Integer around = keys.remainder[c];
        for (std::size_t a = 0; a < keys.columns.columns(); ++a) {
          around += forward::size_of(keys.columns(c, a));
        }
        const auto units = [](const Integer& n) {
          return exact::make_rational(n, Integer(1) << forward::kSeriesBits);
        };
        for (std::size_t row = 2; row <= kRows; ++row) {
          const auto entry = forward::entry(*out, row, c, kBits);
          INFO("seed " << seed << " row " << row << " coordinate " << c);
          REQUIRE(units(keys.centre[c] - around) <= entry.upper);
          REQUIRE(entry.lower <= units(keys.centre[c] + around));
        }
      }
    }
  }
}

TEST_CASE("moment pass: bounds of nearly uniform weights are not far from what is attained") {
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kSoftmax);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Draw draw(seed);
    forward::Model model = draw.model(kind, 2, seed % 2 == 0);
    for (forward::AttentionBlock& block : model.blocks) block.scale = exact::make_rational(1, 64);
    const forward::BoxRequest request{5, 5, 5, 3, 3, certificate::Rows::kTrigger};
    const auto bounds = forward::moment_bounds(model, request);
    REQUIRE(bounds.has_value());
    const forward::Prepared prepared(model);
    Rational attained = 0;
    for (int trial = 0; trial < 400; ++trial) {
      const RationalMatrix tokens = draw.sequence(5, 5, request.box);
      const auto out = forward::pass(prepared, tokens, 1, kBits, {});
      REQUIRE(out.has_value());
      attained =
          exact::max(attained, loss_at_least(*out, tokens, 5, 5, model.blocks.front().residual));
    }
    INFO("seed " << seed << " attained " << attained.convert_to<double>() << " bound "
                 << in_units(*bounds->loss[1]).convert_to<double>());
    CHECK(in_units(*bounds->loss[1]) <= attained * exact::make_rational(3, 2));
  }
}

// Row 4 copies the trigger's noise, then subtracts what the trigger's row has copied: token 2's.
TEST_CASE("moment pass: the trigger's row is another number at each layer") {
  Draw draw(1);
  const forward::Model model = copying_twice(8);
  const forward::BoxRequest request{4, 3, 3, 2, 2};
  const auto bounds = forward::moment_bounds(model, request);
  REQUIRE(bounds.has_value());
  CHECK(in_units(*bounds->loss[2]) >= exact::make_rational(199, 100));
  require_within(model, request, *bounds, draw, 20);
}

TEST_CASE("moment pass: logits that are far apart are too coarse") {
  forward::Model model = copying_twice(1);
  for (forward::AttentionBlock& block : model.blocks) {
    block.query.weight(2, kWidth - 1) = block.key.weight(2, certificate::kNoise) = 8;
    block.query.weight(3, certificate::kNoise) = -8;
    block.key.weight(3, kWidth - 1) = 8;
  }
  CHECK_FALSE(forward::moment_bounds(model, {5, 3, 3, 2, 2}).has_value());
}
