// Elementary functions in fixed point against MPFR: what is returned holds the value, at random
// points and at the ends of what is asked, and is a few units wide.
#include "forward/elementary.hpp"

#include <boost/multiprecision/mpfr.hpp>
#include <catch2/catch.hpp>
#include <random>

#include "exact/whole.hpp"

using namespace sinkproof;
using exact::Integer;
using exact::Rational;
using forward::Range;

namespace {

using Real = boost::multiprecision::mpfr_float;
constexpr unsigned kPrecisions[] = {64, 200, 800, 2048};

// So many bits and some.
void prepare(unsigned bits) { Real::default_precision((bits + 200) * 302 / 1000); }

Real real(const Integer& n, unsigned p) { return ldexp(Real(n), -static_cast<int>(p)); }

void check(const Range& range, const Real& value, unsigned p, const Integer& widest) {
  const Real scaled = ldexp(value, static_cast<int>(p));
  CHECK(Real(range.lower) <= scaled);
  CHECK(scaled <= Real(range.upper));
  CHECK(range.upper - range.lower <= widest);
}

// Whole numbers of all sizes below 2^bits.
std::vector<Integer> points(std::mt19937_64& random, unsigned bits) {
  std::vector<Integer> result = {0, 1, 2};
  for (unsigned size = 1; size <= bits; size += 1 + bits / 40) {
    Integer n = 1;
    for (unsigned have = 0; have < size; have += 32) n = (n << 32U) + (random() & 0xffffffffU);
    result.push_back(n >> (static_cast<unsigned>(mpz_sizeinbase(raw(n), 2)) - size));
  }
  return result;
}

}  // namespace

TEST_CASE("exp of numbers not above 0, of every size") {
  std::mt19937_64 random(1);
  for (const unsigned p : kPrecisions) {
    prepare(p);
    auto all = points(random, p + 14);
    const Integer end = Integer(p) << p;  // from where on exp is below a unit
    for (const Integer& n : {end - 1, end, Integer(end + 1), Integer(Integer(1) << (2 * p))}) {
      all.push_back(n);
    }
    for (const Integer& n : all) {
      check(forward::exponential({-n, -n}, p), exp(-real(n, p)), p, 3);
      const Range both = forward::exponential({-n - 5, -n}, p);
      check(both, exp(-real(n, p)), p, 9);
      check(both, exp(-real(n + 5, p)), p, 9);
    }
  }
}

TEST_CASE("The logistic function of a range holds that of its ends") {
  std::mt19937_64 random(2);
  for (const unsigned p : kPrecisions) {
    prepare(p);
    for (const Integer& n : points(random, p + 12)) {
      for (const Integer& middle : {n, Integer(-n)}) {
        const Integer spread = random() % 1000;
        const Range range = forward::logistic({middle - spread, middle + spread}, p);
        for (const Integer& x : {Integer(middle - spread), Integer(middle + spread)}) {
          check(range, 1 / (1 + exp(-real(x, p))), p, spread / 2 + 6);
        }
      }
    }
  }
}

TEST_CASE("The logistic function by one series, around every size of number") {
  std::mt19937_64 random(6);
  for (const unsigned p : kPrecisions) {
    prepare(p);
    auto all = points(random, p + 12);
    const Integer end = Integer(p) << p;  // from where on exp is below a unit
    for (const Integer& n : {end - 1, end, Integer(Integer(1) << (2 * p))}) all.push_back(n);
    for (const Integer& n : all) {
      for (const Integer& middle : {n, Integer(-n)}) {
        check(forward::logistic_around({middle, middle}, p), 1 / (1 + exp(-real(middle, p))), p, 2);
        const Integer spread = random() % 1000;
        const Range range = forward::logistic_around({middle - spread, middle + spread}, p);
        for (const Integer& x : {Integer(middle - spread), Integer(middle + spread)}) {
          check(range, 1 / (1 + exp(-real(x, p))), p, spread / 2 + 4);
        }
      }
    }
  }
}

TEST_CASE("The normal distribution's function, on both sides and far out") {
  std::mt19937_64 random(3);
  for (const unsigned p : kPrecisions) {
    prepare(2 * p);
    const Real density = ldexp(1 / sqrt(2 * acos(Real(-1))), static_cast<int>(2 * p + 64));
    const Integer below = floor(density).convert_to<Integer>();
    auto all = points(random, p + 8);
    // Where 1 and the function come within a unit of each other: x^2 = 2 ln 2 (p + 2).
    const Integer edge =
        (ldexp(sqrt(Real(1.3864) * (p + 2)), static_cast<int>(p))).convert_to<Integer>();
    for (const int by : {-1'000'000, -1, 0, 1, 1'000'000}) all.push_back(edge + by);
    all.push_back(edge * 99 / 100);
    for (const Integer& n : all) {
      for (const Integer& x : {n, Integer(-n)}) {
        const Real value = erfc(-real(x, p) / sqrt(Real(2))) / 2;
        check(forward::normal_at(x, {below, below + 1}, p), value, p, 3);
      }
    }
  }
}

TEST_CASE("Cosine and sine of a range of angles, small and as large as 2^40") {
  std::mt19937_64 random(4);
  for (const unsigned p : kPrecisions) {
    prepare(p);
    for (const Integer& n : points(random, p + 39)) {
      for (const Integer& middle : {n, Integer(-n)}) {
        const Integer spread = random() % 1000;
        const auto [cosine, sine] = forward::cosine_sine({middle - spread, middle + spread}, p);
        for (const Integer& x : {Integer(middle - spread), Integer(middle + spread)}) {
          check(cosine, cos(real(x, p)), p, 2 * spread + 6);
          check(sine, sin(real(x, p)), p, 2 * spread + 6);
        }
      }
    }
  }
}

TEST_CASE("Logarithms of rationals of every size, pi, and roots") {
  std::mt19937_64 random(5);
  for (const unsigned p : kPrecisions) {
    prepare(p + 3100);  // numbers as large as 2^3020, to a unit
    check(forward::pi(p), acos(Real(-1)), p, 3);
    for (int round = 0; round < 30; ++round) {
      const Integer top = random() % 1'000'000 + 1;
      const Integer bottom = random() % 1'000'000 + 1;
      const unsigned shift = round % 3 == 0 ? 0 : static_cast<unsigned>(random() % 3000);
      const Rational x = exact::make_rational(round % 2 == 0 ? Integer(top << shift) : top,
                                              round % 2 == 0 ? bottom : Integer(bottom << shift));
      const Real value = Real(numerator(x)) / Real(denominator(x));
      check(forward::logarithm(x, p), log(value), p, 3);
      const Range near = forward::range_of(x, p);
      check(near, value, p, 1);
      check(forward::root_of(near, p), sqrt(value), p, Integer(1) << (1500 + p / 2));
      const Range root = forward::root_of({near.lower, near.lower}, p);
      check(root, sqrt(real(near.lower, p)), p, 1);
    }
    for (const Rational& x : {Rational(1), Rational(2), exact::make_rational(1, 2)}) {
      check(forward::logarithm(x, p), log(Real(numerator(x)) / Real(denominator(x))), p, 3);
    }
  }
}

TEST_CASE("Products and quotients of ranges hold those of all their points") {
  std::mt19937_64 random(6);
  constexpr unsigned p = 40;
  const auto range = [&](std::int64_t least) {
    const Integer lower = static_cast<std::int64_t>(random() % 2'000'001) + least;
    return Range{lower, lower + (random() % 3 == 0 ? 0 : random() % 1'500'000)};
  };
  const auto between = [&](const Range& r) {
    const std::uint64_t width = Integer(r.upper - r.lower).convert_to<std::uint64_t>();
    const Integer n = r.lower + random() % (width + 1);
    return random() % 3 == 0 ? r.lower : random() % 2 == 0 ? r.upper : n;
  };
  for (int round = 0; round < 4000; ++round) {
    const Range a = range(-1'000'000);
    const Range b = range(-1'000'000);
    const Range c = range(1);
    const Integer x = between(a);
    const Rational unit(Integer(1) << p);
    const Range product = forward::times(a, b, p);
    const Rational exact = Rational(x * between(b)) / unit;
    CHECK(Rational(product.lower) <= exact);
    CHECK(exact <= Rational(product.upper));
    const Range quotient = forward::over(a, c, p);
    const Rational part = Rational(x) * unit / Rational(between(c));
    CHECK(Rational(quotient.lower) <= part);
    CHECK(part <= Rational(quotient.upper));
  }
}
