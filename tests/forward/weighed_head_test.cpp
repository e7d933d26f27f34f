// Heads whose weights are not shares, bounded over the box by means and covariances of keys.
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "drawn_stack.hpp"
#include "forward/kernel_line.hpp"
#include "forward/moment_pass.hpp"
#include "forward/row_keys.hpp"
#include "forward/weights.hpp"
#include "row_letters.hpp"

using namespace sinkproof;
using namespace sinkproof::test;

// Kinds that are not normalised: kernels are lines within errors, and content rows keys.
TEST_CASE("moment pass: no input of a stack whose weights are not shares lies outside") {
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (kind.normalised) continue;
    std::size_t bounded = 0;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      Draw draw(seed);
      forward::Model model = draw.model(kind, 1 + seed % 3, seed % 2 == 0);
      for (forward::AttentionBlock& block : model.blocks) {
        block.scale = exact::make_rational(1, std::int64_t{1} << (seed % 4));
        for (std::size_t i = 0; i < kWidth; ++i) {
          for (std::size_t j = 0; j < block.output.weight.columns(); ++j) {
            block.output.weight(i, j) = block.output.weight(i, j) / 4;
          }
        }
      }
      const std::size_t first = 3 + draw.below(3);
      const forward::BoxRequest request{first + 1 + draw.below(2),
                                        first,
                                        first + draw.below(2),
                                        1 + draw.below(4),
                                        1 + draw.below(4),
                                        certificate::Rows::kPost,
                                        draw.box()};
      INFO(kind.name << " seed " << seed);
      const auto bounds = forward::moment_bounds(model, request);
      if (!bounds) continue;
      ++bounded;
      require_within(model, request, *bounds, draw, 60);
    }
    CHECK(bounded >= 16);
  }
}

// Of a linear kernel nothing is left beside the polynomial, so that no remainder hides a term that
// is missing, such as the covariance of logits and values.
TEST_CASE("weighed head: at every corner the polynomial is within its remainder of the output") {
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (kind.normalised) continue;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Draw draw(seed / 2);
      const std::size_t degree = seed % 2 == 0 ? forward::kMostSeriesDegree : 1;
      const forward::Model model = draw.model(kind, 1, false, 1);
      const forward::MomentModel fixed(model, {});
      const std::size_t rows = 3 + seed / 2 % 3;
      forward::ContentKeys content = fixed.content;
      if (seed / 2 % 2 == 1) {  // a number that is known by its size alone
        std::swap(content.remainder[certificate::kNoise], content.columns(certificate::kNoise, 0));
      }
      const forward::RowKeys keys = forward::token_keys_of(content, rows - 2);
      const forward::SeenKeys seen = forward::seen_of(keys, rows - 2);
      const auto& layer = fixed.layers.front();
      const forward::WeighedHead head =
          forward::weighed(kind, layer.heads.front(), forward::token(fixed.content, 1), &layer.bos,
                           seen, nullptr, fixed.letters.keys, degree, fixed.letters.alphabet);
      const forward::Series out = sum(layer.bias, head.output);
      const forward::Prepared prepared(model);
      const std::uint64_t corners = std::uint64_t{1} << ((rows - 1) * fixed.noise);
      for (std::uint64_t corner = 0; corner < corners; ++corner) {
        const RationalMatrix tokens = content_tokens(rows, corner);
        const auto found = forward::pass(prepared, tokens, 1, kBits, {});
        REQUIRE(found.has_value());
        const auto at = letters_at(tokens, fixed.letters);
        for (std::size_t c = 0; c < kWidth; ++c) {
          const auto entry = forward::entry(*found, rows, c, kBits);
          INFO(kind.name << " seed " << seed << " corner " << corner << " coordinate " << c);
          CHECK(error_of(out, c, at, entry.lower) <=
                units(out.remainder[c]) + (entry.upper - entry.lower));
          if (kind.is_signed() && degree > 1 && seed / 2 % 2 == 0)
            CHECK(units(out.remainder[c]) <= exact::power_of_two(-30));
        }
      }
    }
  }
}

// Logits t_0 z_1 - t_1 z_0 have the mean 0, but at keys (1, 1) and (1, -1) they are 1 and -1, as
// what is left of values may be.
TEST_CASE("weighed head: remainders of keys go with logits, whose mean may be 0") {
  using forward::kOne;
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kLinear);
  const forward::MomentModel fixed(Draw(0).model(kind, 1, false, 1), {});
  exact::Matrix<forward::Word> columns(kWidth, 2);
  columns(0, 0) = columns(1, 1) = kOne;
  const std::vector<forward::Word> zero(kWidth);
  forward::ContentKeys keys{zero, columns, zero, {0, 1}};
  keys.remainder[2] = kOne >> 8U;
  const std::vector<forward::Word> whole(2, forward::kScale);
  const forward::SeenKeys seen{&keys, 2, whole, whole};
  forward::FixedHead head{{exact::Matrix<forward::Word>(kWidth + 1, kWidth), {}},
                          {exact::Matrix<forward::Word>(kWidth, kWidth), zero}};
  head.query.bias.resize(kWidth + 1);
  head.query.weight(0, 1) = -kOne;
  head.query.weight(1, 0) = head.value.weight(2, 2) = kOne;
  const forward::Series bos = forward::constant(zero, zero);
  const auto found =
      forward::weighed(kind, head, forward::linear(columns, fixed.letters.keys.mean), &bos, seen,
                       nullptr, fixed.letters.keys, 3, fixed.letters.alphabet);
  CHECK(3 * forward::reach(found.output, 2) >= 2 * keys.remainder[2]);
}

TEST_CASE("moment pass: corners of one layer reach what is proved where kernels are lines") {
  constexpr std::size_t kTrigger = 5;
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (kind.normalised) continue;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Draw draw(seed);
      forward::Model model = draw.model(kind, 1, seed % 2 == 0);
      const bool is_linear = kind.kernel == certificate::Kernel::kLinear;
      model.blocks[0].scale = exact::make_rational(1, is_linear ? 1 : 16);
      const forward::BoxRequest request{kTrigger, kTrigger, kTrigger,
                                        4,        4,        certificate::Rows::kTrigger};
      const auto bounds = forward::moment_bounds(model, request);
      REQUIRE(bounds.has_value());
      const Rational attained = attained_at_corners(model, kTrigger, draw);
      const Rational bound = in_units(*bounds->loss[1]);
      INFO(kind.name << " seed " << seed << " attained " << attained.convert_to<double>()
                     << " bound " << bound.convert_to<double>());
      CHECK(attained <= bound);
      CHECK(bound <=
            attained * (is_linear ? exact::make_rational(8, 5) : exact::make_rational(5, 4)));
    }
  }
}

TEST_CASE("moment pass: an averaging head's losses are exact up to rounding") {
  require_means(forward::moment_bounds(averaging_head(), {6, 3, 6, 2, 2}),
                exact::power_of_two(-30));
}

// The line of such a head is 0 at the middle, and no error is beside it.
TEST_CASE("moment pass: a linear head whose logits lie around 0 is not left out") {
  forward::AttentionBlock block = zero_block(certificate::Attention::kLinear, false);
  block.query.weight(0, certificate::kNoise) = 1;
  block.key.weight(0, kWidth - 1) = block.value.weight(0, kWidth - 1) = 1;
  block.output.weight(0, 0) = 1;
  const auto bounds =
      forward::moment_bounds({kWidth, {block}}, {3, 3, 3, 2, 2, certificate::Rows::kPre});
  REQUIRE(bounds.has_value());
  CHECK(in_units(*bounds->loss[0]) >= 1);
}

TEST_CASE("weighed head: a mean over keys has letters as small as theirs are") {
  const forward::ContentKeys keys{{0}, exact::Matrix<forward::Word>(1, 2), {0}, {0, 3}};
  forward::SeenKeys seen{&keys, 2, {}, {}};
  add_letter(seen, {256, 128});
  add_letter(seen, {64, 64});
  const forward::KeyLetters letters{100, 200};
  forward::Series one(1);
  one.terms = {{100}, {200}, {203}, {7}};
  one.values = {1 << 24, 1 << 24, (1 << 24) + 1, 1 << 23};
  const forward::Series mean = mean_over(one, seen, letters);
  CHECK(mean.terms == std::vector<forward::Term>{{100}, {7}, {103}});
  CHECK(mean.values == std::vector<forward::Word>{7 << 22, 1 << 23, 1 << 22});
  CHECK(mean.remainder[0] == 1);
}

// The factor that makes the sharper bound of weight times value is beyond the range of words here.
TEST_CASE("moment pass: a ReLU logit that is hardly ever positive is followed") {
  forward::AttentionBlock block = zero_block(certificate::Attention::kRelu, false);
  block.query.bias[0] = 1;
  block.key.weight(0, kWidth - 1) = exact::power_of_two(-30) - 1;
  block.key.weight(0, certificate::kNoise) = 1;
  block.value.weight(0, kWidth - 1) = 1;
  block.output.weight(0, 0) = 1;
  const forward::Model model{kWidth, {block}};
  const auto bounds = forward::moment_bounds(model, {5, 3, 5, 2, 2, certificate::Rows::kPre});
  REQUIRE(bounds.has_value());
  CHECK(in_units(*bounds->loss[0]) <= exact::power_of_two(-29));
}

TEST_CASE("kernel line: a kernel is within the error of its line, and somewhere about as far") {
  const auto word = [](const Rational& x) { return forward::floor_word(x); };
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (kind.normalised) continue;
    for (const std::int64_t least : {-12, -6, -3, -1, 0, 2}) {
      for (const std::int64_t width : {1, 2, 5, 9, 18}) {
        const forward::WordRange at{word(exact::make_rational(least, 2)),
                                    word(exact::make_rational(least + width, 2))};
        const forward::KernelLine line = forward::kernel_line(kind, at, least % 2 == 0 ? 1 : 2);
        Rational most = 0;
        for (forward::Word k = 0; k <= 72; ++k) {
          const forward::Word x = at.lower + (at.upper - at.lower) / 72 * k;
          const forward::Range there{forward::fine(x), forward::fine(x)};
          const auto kernel = forward::kernels_of(kind, {there}, 0, forward::kFineBits)[0];
          const Rational on_line = units(line.value) + units(line.slope) * units(x - line.centre);
          const Rational apart = in_units(kernel.lower) - on_line;
          most = exact::max(most, exact::abs(apart));
        }
        INFO(kind.name << " from " << least << "/2, width " << width
                       << "/2: " << most.convert_to<double>() << " of "
                       << units(line.error).convert_to<double>());
        CHECK(most <= units(line.error));
        CHECK(units(line.error) <= most * exact::make_rational(9, 8) + exact::power_of_two(-40));
      }
    }
  }
}

TEST_CASE("kernel line: a chord gives way to a constant at degree 1 alone") {
  const forward::WordRange steep{-6 * forward::kOne, forward::kOne / 2};
  const auto& kind = certificate::kind_of(certificate::Attention::kRelu);
  CHECK(forward::kernel_line(kind, steep, 1).slope == 0);
  CHECK(forward::kernel_line(kind, steep, 2).slope == forward::kOne / 13);
}

// f(4 w) = 1/2 + 4 beta w + delta, f(-4 w) = 1/2 - 4 beta w - delta for the noise w of row 2, beta
// about 123/1024. The last layer shows delta alone, as the difference of two numbers each of which
// knows it by a letter: of two coordinates of one head, then of two layers.
TEST_CASE("moment pass: what heads leave has a letter for each coordinate and layer") {
  constexpr std::size_t kFirst = certificate::kTriggerFlag;
  constexpr std::size_t kSecond = certificate::kNoise + 1;
  constexpr std::size_t kContent = kWidth - 1;
  const Rational beta = exact::make_rational(123, 1024);
  const auto zero = [] { return zero_block(certificate::Attention::kSigmoid, true); };
  const auto looking = [&](std::int64_t slope) {
    forward::AttentionBlock block = zero();
    block.query.weight(0, certificate::kNoise) = slope;
    block.key.weight(0, kContent) = block.value.weight(0, kContent) = 1;
    block.output.weight(kFirst, 0) = 1;
    return block;
  };
  // Its weights are 1/2.
  const auto last = [&](std::int64_t first, std::int64_t second, std::int64_t noise) {
    forward::AttentionBlock block = zero();
    block.value.weight(0, kFirst) = first;
    block.value.weight(0, kSecond) = second;
    block.value.weight(0, certificate::kNoise) = noise * beta;
    block.output.weight(kContent, 0) = 32;
    return block;
  };
  forward::AttentionBlock copying = last(2, 0, 0);
  copying.output = zero().output;
  copying.output.weight(kSecond, 0) = 1;
  forward::AttentionBlock twice = looking(4);
  twice.output.weight(kSecond, 0) = -1;
  forward::AttentionBlock centred = last(1, -1, -8);
  centred.value.weight(0, kContent) = -1;
  const forward::Model models[] = {{kWidth, {twice, centred}},
                                   {kWidth, {looking(4), copying, looking(-4), last(1, -2, 8)}}};
  for (const forward::Model& model : models) {
    const certificate::Box box{{{-1, 1}, {0, 0}}};
    const auto bounds =
        forward::moment_bounds(model, {3, 3, 3, 2, 2, certificate::Rows::kPre, box});
    REQUIRE(bounds.has_value());
    RationalMatrix tokens(2, kWidth);
    tokens(0, certificate::kBosFlag) = tokens(1, kContent) = 1;
    tokens(1, certificate::kNoise) = exact::make_rational(29, 64);
    const auto out = forward::pass(forward::Prepared(model), tokens, 1, kBits, {});
    REQUIRE(out.has_value());
    const Rational attained = loss_at_least(*out, tokens, 3, 2, true);
    const Rational bound = in_units(*bounds->loss[0]);
    INFO("attained " << attained.convert_to<double>() << " bound " << bound.convert_to<double>());
    CHECK(attained >= 4);
    CHECK(attained <= bound);
    CHECK(bound <= attained * exact::make_rational(5, 4));
  }
}

// The trigger's row at j becomes 1/(j-1) times a unit vector, and row i behind it (i - 2/(j-1))
// over 2 (i-1): the largest loss, 11/20, is that of row 6 behind a trigger at 5.
TEST_CASE("moment pass: a row sees the trigger at every position before it") {
  forward::AttentionBlock first = zero_block(certificate::Attention::kLinear, false);
  first.query.weight(0, certificate::kTriggerFlag) = 1;
  first.key.bias[0] = 1;
  first.value.weight(0, certificate::kBosFlag) = 1;
  first.output.weight(0, 0) = 1;
  forward::AttentionBlock second = zero_block(certificate::Attention::kLinear, false);
  second.query.bias[0] = 1;
  second.key.bias[0] = 1;
  second.value.weight(0, 0) = -1;
  second.value.bias[0] = exact::make_rational(1, 2);
  second.output.weight(0, 0) = 1;
  const forward::Model model{kWidth, {first, second}};
  const auto bounds = forward::moment_bounds(model, {6, 3, 5, 2, 2});
  REQUIRE(bounds.has_value());
  const Rational most = exact::make_rational(11, 20);
  CHECK(most <= in_units(*bounds->loss[2]));
  CHECK(in_units(*bounds->loss[2]) <= most + exact::power_of_two(-10));
}

TEST_CASE("row keys: every row at a position is a key in the letters of the position") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kRelu);
    const forward::MomentModel fixed(draw.model(kind, 2, true), {});
    const forward::Word unit = forward::kOne >> (seed % 2 == 0 ? 4U : 20U);
    std::vector<forward::LinearRow> rows;
    for (std::size_t k = 0; k < 4; ++k) {
      forward::LinearRow row{{}, exact::Matrix<forward::Word>(kWidth, kWidth - 3), {}};
      for (std::size_t c = 0; c < kWidth; ++c) {
        row.centre.push_back(unit * static_cast<forward::Word>(draw.below(9)) - 6 * unit + 1);
        row.radius.push_back(unit * static_cast<forward::Word>(draw.below(3)));
        for (std::size_t a = 0; a < kWidth - 3; ++a) {
          row.columns(c, a) = unit * static_cast<forward::Word>(draw.below(9)) - 4 * unit + 3;
        }
      }
      rows.push_back(row);
    }
    // Two positions, with two rows each.
    const std::vector<std::vector<const forward::LinearRow*>> at = {{&rows[0], &rows[1]},
                                                                    {&rows[2], &rows[3]}};
    const forward::RowKeys found = forward::row_keys(at, 1, fixed);
    std::vector<std::size_t> numbers = found.keys.numbers;
    for (const std::size_t number : forward::row_keys(at, 2, fixed).keys.numbers) {
      if (number >= fixed.noise) numbers.push_back(number);
    }
    for (std::size_t k = 1; k < numbers.size(); ++k) CHECK(numbers[k - 1] < numbers[k]);
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        // Noise aside, in 256ths: what the letters and the remainder hold, and what the row needs.
        forward::Word needed =
            rows[k].radius[c] + forward::size_of(rows[k].centre[c] - found.keys.centre[c]);
        forward::Word held = found.keys.remainder[c] * forward::kScale;
        for (std::size_t a = 0; a < found.keys.columns.columns(); ++a) {
          const forward::Word column = found.keys.columns(c, a);
          if (a < kWidth - 3) {
            needed += forward::size_of(rows[k].columns(c, a) - column);
          } else {
            held += column * found.scales[a][k / 2];
          }
        }
        INFO("seed " << seed << " row " << k << " coordinate " << c);
        CHECK(needed * forward::kScale <= held);
      }
    }
  }
}
