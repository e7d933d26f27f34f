// The arithmetic of rule `moments`: what is rounded, dropped or too large is never lost.
#include "forward/series.hpp"

#include <catch2/catch.hpp>

#include "forward/ball.hpp"

using namespace sinkproof::forward;

namespace {

sinkproof::exact::Matrix<Word> one_entry(Word entry) { return {1, 1, {entry}}; }

Series letter(Letter number, Word coefficient) { return linear(one_entry(coefficient), number); }

constexpr Word kLarge = Word{1} << 48U;

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
