// Parts of rule `moments`: one head at one row, as polynomials, against the forward pass: at every
// corner of the box each polynomial is within its remainder of what it stands for.
#include "forward/tilted_head.hpp"

#include <catch2/catch.hpp>
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

// The head of a model of one layer and one head, at the last of so many content rows.
Used used(const forward::Model& model, std::size_t rows, std::size_t degree) {
  const forward::MomentModel fixed(model, {});
  const std::size_t keys = rows - 2;
  const std::vector<forward::Word> whole(fixed.noise, forward::kScale);
  const forward::SeenKeys seen{keys == 0 ? nullptr : &fixed.content, keys, whole, whole};
  const forward::TiltedHead head = forward::tilted(
      fixed.layers[0].heads[0], forward::token(fixed.content, 1), fixed.layers[0].bos, seen,
      nullptr, fixed.letters.keys, degree, fixed.letters.alphabet);
  REQUIRE(head.others.has_value());
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
    use(error_of(*head.others, 0, at, others), head.others->remainder[0], result.others);
    for (std::size_t c = 0; c < kWidth; ++c) {
      Rational mean = -tokens(0, c);
      for (std::size_t k = 1; k < rows; ++k) mean += weights[k] / others * tokens(k, c);
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
        CHECK(part >= exact::make_rational(1, 25));
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
    model.blocks.push_back(model.blocks.front());
    const forward::MomentModel fixed(model, {});
    const std::vector<forward::Series> trigger{
        forward::token(fixed.first_trigger, fixed.letters.trigger)};
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
  }
}
