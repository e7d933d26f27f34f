#include "exact/exp_enclosure.hpp"

#include <mpfr.h>

#include <catch2/catch.hpp>
#include <random>

using namespace sinkproof::exact;

namespace {
Rational random_argument(std::mt19937_64& random) {
  const Integer p = static_cast<std::int64_t>(random()) >> 20;
  return Rational(p) * power_of_two(-static_cast<long>(32 + random() % 30));
}
// exp by MPFR to 400 bits, rounded down or up: another way to the same number.
Rational reference(const Rational& x, mpfr_rnd_t direction) {
  mpfr_t number;
  mpfr_init2(number, 400);
  mpfr_set_q(number, x.backend().data(), direction);
  mpfr_exp(number, number, direction);
  mpq_t exactly;
  mpq_init(exactly);
  mpfr_get_q(exactly, number);
  const Rational result(exactly);
  mpq_clear(exactly);
  mpfr_clear(number);
  return result;
}
}  // namespace

TEST_CASE("exp_enclosure: two precisions and MPFR overlap, and each is tight") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 400; ++round) {
    const Rational x = random_argument(random);
    if (abs(x) > kMaxExpArgument) continue;
    const auto coarse = exp_enclosure(x, 64);
    const auto fine = exp_enclosure(x, 200);
    REQUIRE(coarse.has_value());
    REQUIRE(fine.has_value());
    INFO(to_string(x));
    CHECK(coarse->lower <= fine->lower);
    CHECK(fine->lower < fine->upper);
    CHECK(fine->upper <= coarse->upper);
    CHECK((coarse->upper - coarse->lower) * power_of_two(64) <= coarse->lower);
    CHECK((fine->upper - fine->lower) * power_of_two(200) <= fine->lower);
    CHECK(fine->lower <= reference(x, MPFR_RNDU));
    CHECK(reference(x, MPFR_RNDD) <= fine->upper);
  }
}

TEST_CASE("exp_enclosure at the edges") {
  CHECK(exp_enclosure(0, 64)->lower <= 1);
  CHECK(exp_enclosure(0, 64)->upper >= 1);
  CHECK(exp_enclosure(kMaxExpArgument, 64).has_value());
  const auto beyond = exp_enclosure(Rational(kMaxExpArgument) + make_rational(1, 1000), 64);
  REQUIRE_FALSE(beyond.has_value());
  CHECK(beyond.error().code == "SP0102");
  const Rational tiny = power_of_two(-500);
  CHECK(exp_enclosure(tiny, 64)->upper >= 1 + tiny);
  CHECK(exp_enclosure(-tiny, 64)->lower <= 1 - tiny);
}
