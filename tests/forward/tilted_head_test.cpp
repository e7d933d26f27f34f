// Parts of rule `moments`: one head at one row, as polynomials, against the forward pass: at every
// corner of the box each polynomial is within its remainder of what it stands for.
#include "forward/tilted_head.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "drawn_stack.hpp"
#include "forward/content_rows.hpp"
#include "forward/moment_model.hpp"
#include "row_letters.hpp"

using namespace sinkproof;
using namespace sinkproof::test;

namespace {

constexpr std::size_t kContent = kWidth - 1;
using certificate::kNoise;

// The largest quotient of an error and its remainder, at all corners.
struct Used {
  Rational others = 0;
  Rational mean = 0;
};

// The head of a model of one layer and one head, at the last of so many content rows; of the keys'
// noise one number may be known by its size alone.
Used used(const forward::Model& model, std::size_t rows, std::size_t degree,
          std::optional<std::size_t> hidden = {}) {
  const forward::MomentModel fixed(model, {});
  const std::size_t keys = rows - 2;
  forward::ContentKeys content = fixed.content;
  if (hidden) {
    std::swap(content.remainder[kNoise + *hidden], content.columns(kNoise + *hidden, *hidden));
  }
  const std::vector<forward::Word> whole(fixed.noise, forward::kScale);
  const forward::SeenKeys seen{keys == 0 ? nullptr : &content, keys, whole, whole};
  const forward::TiltedHead head = forward::tilted(
      fixed.layers[0].heads[0], forward::token(fixed.content, 1), fixed.layers[0].bos, seen,
      nullptr, fixed.letters.keys, degree, fixed.letters.alphabet);
  const forward::Prepared prepared(model);
  const std::size_t letters = (rows - 1) * fixed.noise;
  Used result;
  for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << letters); ++corner) {
    const RationalMatrix tokens = content_tokens(rows, corner);
    std::vector<Rational> weights;
    const auto observe = [&](std::size_t, std::size_t, std::size_t row,
                             const forward::Weights& of) {
      if (row != rows) return;
      for (std::size_t k = 0; k < rows; ++k) {
        const auto weight = forward::enclosure(of.keys[k], kBits);
        weights.push_back((weight.lower + weight.upper) / 2);
      }
    };
    REQUIRE(forward::pass(prepared, tokens, 1, kBits, observe).has_value());
    const auto at = letters_at(tokens, fixed.letters);
    const Rational others = 1 - weights[0];
    const auto use = [](const Rational& error, forward::Word remainder, Rational& most) {
      // The forward pass's own rounding is far below a unit.
      const Rational part = error / (units(remainder) + exact::power_of_two(-80));
      most = exact::max(most, part);
    };
    const bool is_apart = head.others.has_value();
    if (is_apart) {
      use(error_of(*head.others, 0, at, others), head.others->remainder[0], result.others);
    }
    for (std::size_t c = 0; c < kWidth; ++c) {
      Rational mean = 0;
      for (std::size_t k = 1; k < rows; ++k) mean += weights[k] * (tokens(k, c) - tokens(0, c));
      if (is_apart) mean /= others;
      use(error_of(head.mean, c, at, mean), head.mean.remainder[c], result.mean);
    }
  }
  return result;
}

// All heads' queries are constants. Logits less BOS's: `flag` of content tokens, and `slope` times
// their first noise coordinate.
forward::Model steady(const Rational& flag, const Rational& slope) {
  forward::AttentionBlock block = zero_block(certificate::Attention::kSoftmax, false);
  block.query.bias[0] = 1;
  block.key.weight(0, kContent) = flag;
  block.key.weight(0, kNoise) = slope;
  return {kWidth, {block}};
}

}  // namespace

// The second row sees BOS and itself alone: L is a polynomial, and what is left is the logistic
// function's.
TEST_CASE("tilted head: the remainder of the logistic function is as large as it has to be") {
  for (const std::int64_t logit : {-1, -8, -30}) {
    for (const std::int64_t slope : {4, 8, 16}) {
      const forward::Model model =
          steady(exact::make_rational(logit, 16), exact::make_rational(slope, 16));
      for (std::size_t degree = 2; degree <= forward::kMostSeriesDegree; ++degree) {
        INFO("logit " << logit << " slope " << slope << " degree " << degree);
        const Rational part = used(model, 2, degree).others;
        CHECK(part <= 1);
        CHECK(part >= exact::make_rational(1, slope == 4 ? 5 : 25));
      }
    }
  }
}

// Two and three content keys and the row itself: logits are known but for the keys' noise, so that
// at degree 4 little is left beside their third cumulant. What remainders are is mostly attained.
TEST_CASE("tilted head: what is beyond second order is in the remainders") {
  for (const std::int64_t slope : {1, 2, 4}) {
    for (const std::size_t rows : {4, 5}) {
      const Used part = used(steady(-3, exact::make_rational(slope, 16)), rows, 4);
      INFO("slope " << slope << " rows " << rows << ": of the share "
                    << part.others.convert_to<double>() << ", of the mean "
                    << part.mean.convert_to<double>());
      CHECK(part.others <= 1);
      CHECK(part.others >= exact::make_rational(1, 2));
      CHECK(part.mean <= 1);
      CHECK(part.mean >= exact::make_rational(3, 5));
    }
  }
}

// BOS is one of the keys, at one end of the values.
TEST_CASE("tilted head: what is beyond second order is in the remainders where BOS is a key") {
  for (const std::int64_t slope : {1, 2, 4}) {
    const Used part = used(steady(1, exact::make_rational(slope, 16)), 4, 4);
    INFO("slope " << slope << ": " << part.mean.convert_to<double>());
    CHECK(part.others == 0);
    CHECK(part.mean <= 1);
    CHECK(part.mean >= exact::make_rational(1, 2));
  }
}

// Logits go with the number that is hidden, then values do.
TEST_CASE("tilted head: what keys have beside their letters is in the remainders") {
  for (const std::int64_t flag : {-3, 1}) {
    for (std::size_t hidden = 0; hidden < 2; ++hidden) {
      const Used part = used(steady(flag, exact::make_rational(1, 64)), 4, 4, hidden);
      INFO("flag " << flag << " hidden " << hidden << ": of the share "
                   << part.others.convert_to<double>() << ", of the mean "
                   << part.mean.convert_to<double>());
      CHECK(part.others <= 1);
      CHECK(part.mean <= 1);
      CHECK(part.mean >= exact::make_rational(9, 10));
    }
  }
}

// All logits of content tokens are the same: row i, all noise 1, has the share of i-1 of them.
TEST_CASE("content rows: letters are as large at a position as its share") {
  constexpr std::size_t kRows = 6;
  for (const std::int64_t flag : {-2, 2}) {
    forward::Model model = steady(flag, 0);
    forward::AttentionBlock& block = model.blocks.front();
    block.value.weight(0, kNoise) = block.output.weight(kContent, 0) = 1;
    block.value.weight(1, kContent) = block.output.weight(1, 1) = 1;
    const forward::Prepared prepared(model);
    model.blocks.push_back(model.blocks.front());
    const forward::MomentModel fixed(model, {});
    const forward::ContentRows rows(fixed, kRows - 1, nullptr);
    const forward::SeenKeys seen = rows.seen(1);
    RationalMatrix tokens(kRows, kWidth);
    tokens(0, certificate::kBosFlag) = 1;
    for (std::size_t i = 1; i < kRows; ++i) tokens(i, kContent) = tokens(i, kNoise) = 1;
    const auto out = forward::pass(prepared, tokens, 1, kBits, {});
    REQUIRE(out.has_value());
    Rational around = units(seen.keys->remainder[1]);
    for (std::size_t a = 0; a < seen.mean.size(); ++a) around += units(seen.keys->columns(1, a));
    Rational mean = 0;
    Rational square = 0;
    Rational farthest = 0;
    for (std::size_t row = 2; row <= kRows; ++row) {
      const auto share = forward::entry(*out, row, 1, kBits);
      const Rational away = exact::abs(Rational(share.lower - units(seen.keys->centre[1])));
      farthest = exact::max(farthest, away);
      const auto entry = forward::entry(*out, row, kContent, kBits);
      mean += entry.lower / Rational(kRows - 1);
      square += entry.lower * entry.lower / Rational(kRows - 1);
    }
    const Rational mean_at_most =
        units(reach(forward::mean_of(seen, fixed.letters.keys), kContent));
    Rational root_at_most = units(seen.keys->remainder[kContent]);
    for (std::size_t a = 0; a < seen.mean.size(); ++a) {
      root_at_most += units(forward::scaled_columns(seen.keys->columns, seen.spread)(kContent, a));
    }
    CHECK(farthest <= around);
    CHECK(around <= farthest * exact::make_rational(65, 64));
    CHECK(mean <= mean_at_most);
    CHECK(square <= root_at_most * root_at_most);
    CHECK(mean_at_most <= mean * exact::make_rational(65, 64));
    CHECK(root_at_most * root_at_most <= square * exact::make_rational(65, 64));
  }
}

// Content rows that look at BOS alone, nearly: what else they see has a share below 1/128 and no
// letters, but large values. The noise of each row itself, then the flag of the trigger's.
TEST_CASE("content rows: heads without letters are in the remainders") {
  constexpr std::size_t kRows = 5;
  constexpr std::size_t kTrigger = 3;
  for (const bool of_trigger : {false, true}) {
    forward::Model model = steady(of_trigger ? -40 : -7, 0);
    forward::AttentionBlock& block = model.blocks.front();
    block.key.weight(0, certificate::kTriggerFlag) = -7;
    const std::size_t from = of_trigger ? certificate::kTriggerFlag : kNoise;
    block.value.weight(0, from) = 8;
    block.output.weight(0, 0) = 8;
    const forward::Prepared prepared(model);
    // The second layer leaves rows as they are.
    const forward::AttentionBlock none = zero_block(certificate::Attention::kSoftmax, true);
    model.blocks.insert(model.blocks.end(), {none, none});
    const forward::MomentModel fixed(model, {});
    const forward::Series token = forward::token(fixed.first_trigger, fixed.letters.trigger);
    const std::vector<forward::Series> trigger(3, token);
    const forward::ContentRows rows(fixed, kRows - 2, &trigger);
    const forward::ContentKeys& keys = *rows.seen(1).keys;
    REQUIRE(keys.numbers.empty());
    RationalMatrix tokens(kRows, kWidth);
    tokens(0, certificate::kBosFlag) = 1;
    for (std::size_t i = 1; i < kRows; ++i) {
      tokens(i, i + 1 == kTrigger ? certificate::kTriggerFlag : kContent) = 1;
    }
    Rational most = 0;
    for (const std::int64_t sign : {-1, 1}) {
      for (std::size_t i = 1; i < kRows; ++i) tokens(i, kNoise) = sign;
      const auto out = forward::pass(prepared, tokens, 1, kBits, {});
      REQUIRE(out.has_value());
      for (std::size_t row = 2; row <= kRows; ++row) {
        if (row == kTrigger) continue;
        const auto entry = forward::entry(*out, row, 0, kBits);
        const Rational centre = units(keys.centre[0]);
        most = exact::max(
            most, exact::max(Rational(entry.lower - centre), Rational(centre - entry.upper)));
      }
    }
    const Rational bound = units(keys.remainder[0]);
    INFO("attained " << most.convert_to<double>() << " bound " << bound.convert_to<double>());
    CHECK(most <= bound);
    CHECK(bound <= 2 * most);
    CHECK(most <= units(rows.seen(2).keys->remainder[0]));
  }
}
