// The arithmetic of rule `moments`: what is rounded, dropped or too large is never lost.
#include "forward/series.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "forward/ball.hpp"

using namespace sinkproof::forward;

namespace {

sinkproof::exact::Matrix<Word> one_entry(Word entry) { return {1, 1, {entry}}; }

Series letter(Letter number, Word coefficient) { return linear(one_entry(coefficient), number); }

constexpr Word kLarge = Word{1} << 48U;

using sinkproof::exact::Rational;
using Matrix = sinkproof::exact::Matrix<Word>;
Rational units(Word n) { return sinkproof::exact::make_rational(n, kOne); }

// Drawn polynomials of few terms, so that bounds are near what corners attain, and functions that
// are as far from them as they may be.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return random_() % n; }
  Word sign() { return below(2) == 0 ? -1 : 1; }
  Word entry() { return sign() * (kOne / 16) * static_cast<Word>(below(9)); }

  Matrix matrix(std::size_t rows, std::size_t columns) {
    Matrix result(rows, columns);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) result(r, c) = entry() + sign();
    }
    return result;
  }

  // Letters 1 to 4.
  Series series(std::size_t size) {
    Series result(size);
    for (std::size_t t = 0; t <= below(3); ++t) {
      Term term{};
      for (Letter& letter : term) letter = static_cast<Letter>(below(2) * (1 + below(4)));
      std::sort(term.rbegin(), term.rend());
      if (std::count(result.terms.begin(), result.terms.end(), term) > 0) continue;
      result.terms.push_back(term);
      for (std::size_t c = 0; c < size; ++c) result.values.push_back(entry() + sign());
    }
    for (Word& remainder : result.remainder) remainder = (kOne / 8) * static_cast<Word>(below(3));
    return result;
  }

  std::vector<Rational> letters(std::size_t count) {
    std::vector<Rational> result = {1};
    while (result.size() < count) result.push_back(below(4) == 0 ? Rational(sign()) / 2 : sign());
    return result;
  }

  std::vector<Rational> function(const Series& x, const std::vector<Rational>& at);

 private:
  std::mt19937_64 random_;
};

Rational value_of(const Series& x, std::size_t c, const std::vector<Rational>& at) {
  Rational sum = 0;
  for (std::size_t t = 0; t < x.terms.size(); ++t) {
    Rational product = units(x.values[t * x.size + c]);
    for (const Letter letter : x.terms[t]) product *= at[letter];
    sum += product;
  }
  return sum;
}

std::vector<Rational> Draw::function(const Series& x, const std::vector<Rational>& at) {
  std::vector<Rational> result;
  for (std::size_t c = 0; c < x.size; ++c) {
    result.push_back(value_of(x, c, at) + sign() * units(x.remainder[c]));
  }
  return result;
}

void require_held(const Series& x, std::size_t c, const std::vector<Rational>& at,
                  const Rational& value) {
  const Rational apart = sinkproof::exact::abs(Rational(value_of(x, c, at) - value));
  REQUIRE(apart <= units(x.remainder[c]));
}

}  // namespace

TEST_CASE("series: remainders and coefficients of any size survive maps and products") {
  const Series wide = constant({kOne}, {kLarge});
  CHECK(apply(one_entry(3 * kOne), wide).remainder[0] >= 3 * kLarge);
  CHECK(apply(one_entry(-3 * kOne), wide).remainder[0] >= 3 * kLarge);
  CHECK(times(wide, -2 * kOne).remainder[0] >= 2 * kLarge);
  CHECK(sum(wide, wide, -1).remainder[0] >= 2 * kLarge);
  const Alphabet alphabet;
  CHECK(scaled(wide, constant({2 * kOne}, {0}), 2, alphabet).remainder[0] >= 2 * kLarge);
  CHECK(inner(constant({2 * kOne}, {0}), wide, 2, alphabet).remainder[0] >= 2 * kLarge);
}

TEST_CASE("series: what is 4096 or more is refused") {
  CHECK_THROWS_AS(times(constant({3200 * kOne}, {0}), 2 * kOne), TooCoarse);
  CHECK_THROWS_AS(sum(constant({3200 * kOne}, {0}), constant({3200 * kOne}, {0})), TooCoarse);
  CHECK_THROWS_AS(apply(one_entry(2 * kOne), constant({0}, {3200 * kOne})), TooCoarse);
  CHECK_THROWS_AS(reach(sum(letter(1, 3200 * kOne), letter(2, -3200 * kOne)), 0), TooCoarse);
  const sinkproof::exact::Integer limit = sinkproof::exact::Integer(1) << kWordBits;
  for (const int sign : {-1, 1}) {
    CHECK(sign * word(sign * (limit - 1)) == (Word{1} << kWordBits) - 1);
    CHECK_THROWS_AS(word(sign * limit), TooCoarse);
    CHECK_THROWS_AS(narrow(sign * (Wide{1} << kWordBits)), TooCoarse);
  }
}

TEST_CASE("series: products beyond the degree become remainders, and small terms do") {
  const Alphabet alphabet;
  const Series square = scaled(letter(1, kOne), letter(2, kOne), 2, alphabet);
  CHECK(square.terms.size() == 1);
  CHECK(square.remainder[0] == 0);
  const Series left = scaled(square, letter(3, 3 * kOne), 2, alphabet);
  CHECK(left.terms.empty());
  CHECK(left.remainder[0] >= 3 * kOne);
  const Series small = sum(letter(1, 1000), letter(2, kOne));
  CHECK(small.terms.size() == 1);
  CHECK(small.remainder[0] >= 1000);
}

TEST_CASE("series: drawn functions within remainders stay so through every operation") {
  Alphabet alphabet;
  alphabet.walked = 2;
  alphabet.spread = 5;
  alphabet.columns = 2;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    INFO("seed " << seed);
    Draw draw(seed);
    const Series a = draw.series(2);
    const Series b = draw.series(2);
    const FixedMap map{draw.matrix(2, 2), {draw.entry(), draw.entry()}};
    const std::size_t degree = 1 + draw.below(4);
    const Word factor = draw.entry() + 1;
    const std::vector<Rational> at = draw.letters(9);
    const std::vector<Rational> f = draw.function(a, at);
    const std::vector<Rational> g = draw.function(b, at);
    const std::vector<std::size_t> numbers = {0, 1};
    const Series both = covariance(map.weight, a, numbers, degree, alphabet);
    const Series mapped = apply(map, a);
    const Series product = scaled(coordinate(a, 1), b, degree, alphabet);
    const std::vector<Word> most = sizes(a, alphabet);
    for (std::size_t t = 0; t < a.terms.size(); ++t) {
      Series of_degree(2);  // what has the degree of term t
      for (std::size_t u = 0; u < a.terms.size(); ++u) {
        if (degree_of(a.terms[u]) != degree_of(a.terms[t])) continue;
        of_degree.terms.push_back(a.terms[u]);
        for (std::size_t c = 0; c < 2; ++c) of_degree.values.push_back(a.values[2 * u + c]);
      }
      for (std::size_t c = 0; c < 2; ++c) {
        REQUIRE(sinkproof::exact::abs(value_of(of_degree, c, at)) <=
                units(most[degree_of(a.terms[t]) * 2 + c]));
      }
    }
    for (std::size_t c = 0; c < 2; ++c) {
      require_held(sum(a, b, -1), c, at, f[c] - g[c]);
      require_held(times(a, factor), c, at, units(factor) * f[c]);
      require_held(product, c, at, f[1] * g[c]);
      Rational image = units(map.bias[c] + draw.sign());
      Rational exact = 0;
      Rational covaried = 0;
      for (std::size_t s = 0; s < 2; ++s) {
        exact += units(map.weight(c, s)) * f[s];
        image += units(map.weight(c, s) + draw.sign()) * f[s];
        for (std::size_t t = 0; t < 2; ++t) {
          covaried += units(map.weight(c, t)) * at[alphabet.covariance(t, s)] * f[s];
        }
      }
      require_held(apply(map.weight, a), c, at, exact);
      require_held(mapped, c, at, image);
      require_held(both, c, at, covaried);
      REQUIRE(sinkproof::exact::abs(f[c]) <= units(reach(a, c)));
      const WordRange ends = range(a, c, alphabet);
      REQUIRE(units(ends.lower) <= f[c]);
      REQUIRE(f[c] <= units(ends.upper));
    }
    require_held(inner(a, b, degree, alphabet), 0, at, f[0] * g[0] + f[1] * g[1]);
  }
}

// Letters 1 and 2 are walked; 3 and 4 are the means of the keys' letters 0 and 1, from 5 on
// covariances.
TEST_CASE("series: ranges count means and covariances together, and squares as a half") {
  Alphabet alphabet;
  alphabet.walked = 2;
  alphabet.means = 2;
  alphabet.mean = 3;
  alphabet.spread = 5;
  alphabet.columns = 2;
  const auto upper = [&](const Series& x) { return range(x, 0, alphabet).upper; };
  const Series own = sum(letter(1, kOne), letter(2, kOne));
  CHECK(upper(own) == 2 * kOne);
  // w_1 + w_2 + w_1 w_2 is 3 at one corner and -1 at the others.
  const Series corner = sum(own, scaled(letter(1, kOne), letter(2, kOne), 2, alphabet));
  CHECK(range(corner, 0, alphabet).lower == -kOne);
  CHECK(range(corner, 0, alphabet).upper == 3 * kOne);
  // |c_00| <= 1 - t_0^2: the largest t_0 + c_00 is 5/4.
  const Series spread = letter(alphabet.covariance(0, 0), kOne);
  CHECK(upper(sum(letter(3, kOne), spread)) == 5 * (kOne / 4));
  CHECK(upper(sum(letter(4, kOne), spread)) == 2 * kOne);
  CHECK(upper(scaled(letter(3, kOne), letter(4, kOne), 2, alphabet)) == kOne);
  const Series squared = scaled(letter(1, kOne), letter(1, kOne), 2, alphabet);
  CHECK(range(squared, 0, alphabet).lower == 0);
  CHECK(range(squared, 0, alphabet).upper == kOne);
  CHECK(upper(sum(constant({0}, {kOne}), own)) == 3 * kOne);
}
