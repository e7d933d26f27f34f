// The logit of a learned null slot on its way through the pass, where rows are i / (i + exp s).
#include "forward/pass.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "rounded/double.hpp"

using namespace sinkproof;
using exact::Rational;
using exact::RationalMatrix;

namespace {

// Two heads of width 1 whose keys all have logit 0, each with its null slot, side by side.
forward::Model two_heads(const std::vector<Rational>& sinks, const Rational& scale) {
  const RationalMatrix zero(2, 1);
  const std::vector<Rational> none(2);
  forward::AttentionBlock block{certificate::kind_of(certificate::Attention::kSoftmaxSink),
                                2,
                                scale,
                                false,
                                {zero, none},
                                {zero, none},
                                {RationalMatrix(2, 1, {1, 1}), none},
                                {RationalMatrix(1, 2, {1, 0}), {0}},
                                {},
                                sinks};
  return {1, {block}};
}

}  // namespace

TEST_CASE("A null slot takes exp of its own logit, which no scale multiplies") {
  const RationalMatrix ones(3, 1, {1, 1, 1});
  for (const double logit : {-1.5, 0.0, 0.3, 2.0}) {
    for (const Rational& scale : {Rational(1), exact::make_rational(1, 3), Rational(5)}) {
      const forward::Model model = two_heads({rounded::from_double(logit), 40}, scale);
      std::size_t seen = 0;
      const auto out = forward::pass(
          forward::Prepared(model), ones, 1, 64,
          [&](std::size_t, std::size_t head, std::size_t, const forward::Weights& weights) {
            const auto null = forward::enclosure(weights.null, 64);
            if (head == 1) CHECK(null.lower > exact::make_rational(999, 1000));
            ++seen;
          });
      REQUIRE(out.has_value());
      CHECK(seen == 6);
      for (std::size_t row = 1; row <= 3; ++row) {
        const auto found = forward::entry(*out, row, 0, 64);
        const double keys = static_cast<double>(row);
        CHECK(found.upper - found.lower < exact::power_of_two(-58));
        CHECK(rounded::to_double_estimate(found.lower) == Approx(keys / (keys + std::exp(logit))));
      }
    }
  }
}

TEST_CASE("A null slot's logit is a number of the pass, which fails where it is too large") {
  const RationalMatrix ones(1, 1, {1});
  for (const int sign : {1, -1}) {
    const auto passes = [&](const Rational& sink, unsigned p) {
      const forward::Model model = two_heads({0, sink}, 1);
      return forward::pass(forward::Prepared(model), ones, 1, p).has_value();
    };
    const Rational edge = sign * exact::power_of_two(64);
    CHECK_FALSE(passes(edge, 64));
    CHECK(passes(edge - sign, 64));
    CHECK(passes(edge, 128));
  }
}
