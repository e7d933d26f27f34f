// Polynomials in exchangeable keys' noise against their values: at every point of the box that is
// tried, each operation's result is within its remainder of what it stands for.
#include "forward/polynomial.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "polynomial_values.hpp"

using namespace sinkproof;
using namespace sinkproof::test;
using exact::Integer;

namespace {

constexpr unsigned kBits = 20;
constexpr std::size_t kNoise = 3;  // coordinates 2, 3, 4

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Integer number(std::int64_t most) {
    return Integer(static_cast<std::int64_t>(below(2 * most + 1)) - most);
  }

  Letters letters(std::size_t most, bool some) {
    Letters result;
    const std::size_t count = below(most + (some ? 0 : 1)) + (some ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) {
      result.push_back(static_cast<std::uint32_t>(2 + below(kNoise)));
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  Polynomials polynomials(std::size_t size, bool of_key, bool others) {
    Polynomials result(size);
    for (int t = 0; t < 6; ++t) {
      Monomial monomial{letters(1, false), {}, {}};
      if (of_key) monomial.key = letters(1, false);
      for (std::size_t i = others ? below(3) : 0; i > 0; --i) {
        monomial.others.push_back(letters(1, true));
      }
      std::sort(monomial.others.begin(), monomial.others.end());
      for (Integer& c : result[monomial]) c = number(std::int64_t{1} << kBits);
    }
    for (Integer& r : result.remainder) r = below(1000);
    return result;
  }

  Noise noise() {
    Noise result;
    for (std::size_t i = 0; i < kNoise; ++i) {
      result.push_back(exact::make_rational(number(4), 4));
    }
    return result;
  }

  Point point(std::size_t keys) {
    Point result{noise(), noise(), {}};
    for (std::size_t k = 0; k < keys; ++k) result.others.push_back(noise());
    return result;
  }

 private:
  std::mt19937_64 random_;
};

// At both ends of the remainders of a and b the exact result is within the enclosure's remainder.
template <typename Exact>
void require_encloses(const Polynomials& result, std::size_t c, const Point& at,
                      const Exact& exact) {
  for (const int s : {-1, 1}) {
    for (const int t : {-1, 1}) {
      CHECK(exact::abs(exact(s, t) - value(result, c, at)) <= Rational(result.remainder[c]));
    }
  }
}

}  // namespace

TEST_CASE("polynomials: products enclose the products of what they stand for") {
  const Rational unit = exact::power_of_two(kBits);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Draw draw(seed);
    const std::size_t keys = draw.below(4);
    const Polynomials a = draw.polynomials(2, seed % 2 == 0, true);
    const Polynomials b = draw.polynomials(2, true, true);
    const Polynomials one = draw.polynomials(1, false, true);
    const std::size_t degree = 1 + draw.below(5);
    const Polynomials inner = forward::inner(a, b, degree, keys, kBits);
    const Polynomials scaled = forward::scaled(one, b, degree, keys, kBits);
    for (const auto& [monomial, row] : inner.terms) CHECK(monomial.degree() <= degree);
    for (int trial = 0; trial < 4; ++trial) {
      const Point at = draw.point(keys);
      const auto end = [&](const Polynomials& x, std::size_t c, int s) {
        return value(x, c, at) + s * Rational(x.remainder[c]);
      };
      require_encloses(inner, 0, at, [&](int s, int t) -> Rational {
        return (end(a, 0, s) * end(b, 0, t) + end(a, 1, t) * end(b, 1, s)) / unit;
      });
      for (std::size_t c = 0; c < 2; ++c) {
        require_encloses(scaled, c, at, [&](int s, int t) -> Rational {
          return end(one, 0, s) * end(b, c, t) / unit;
        });
      }
    }
  }
}

TEST_CASE("polynomials: maps, quotients and hulls enclose; what is dropped is counted") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    const std::size_t keys = draw.below(4);
    const Polynomials x = draw.polynomials(2, true, true);
    const Polynomials y = draw.polynomials(2, true, true);
    exact::ScaledMatrix map{exact::Matrix<Integer>(2, 3), 7};
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) map.entries(i, j) = draw.number(20);
      map.entries(i, 2) = draw.number(9);
    }
    const Polynomials mapped = forward::apply(map, x, keys, kBits);
    const Polynomials quotient = forward::divided(x, 13, keys);
    const Polynomials rest = forward::without_others(x, keys);
    Polynomials hull = x;
    forward::widen(hull, y, keys);
    for (const auto& [monomial, row] : rest.terms) CHECK(monomial.others.empty());
    for (int trial = 0; trial < 4; ++trial) {
      const Point at = draw.point(keys);
      for (std::size_t c = 0; c < 2; ++c) {
        const auto end = [&](const Polynomials& of, std::size_t k, int s) {
          return value(of, k, at) + s * Rational(of.remainder[k]);
        };
        require_encloses(mapped, c, at, [&](int s, int t) -> Rational {
          return (Rational(map.entries(c, 0)) * end(x, 0, s) +
                  Rational(map.entries(c, 1)) * end(x, 1, t) +
                  Rational(map.entries(c, 2)) * exact::power_of_two(kBits)) /
                 7;
        });
        require_encloses(quotient, c, at,
                         [&](int s, int) -> Rational { return end(x, c, s) / 13; });
        require_encloses(rest, c, at, [&](int s, int) { return end(x, c, s); });
        require_encloses(hull, c, at, [&](int s, int) { return end(x, c, s); });
        require_encloses(hull, c, at, [&](int s, int) { return end(y, c, s); });
        const forward::Range range = forward::range(x, c, keys);
        CHECK(Rational(range.lower) <= end(x, c, -1));
        CHECK(end(x, c, 1) <= Rational(range.upper));
      }
    }
  }
}

TEST_CASE(
    "polynomials: seen from each of its keys and summed over them, nothing changes but names") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    const std::size_t keys = 1 + draw.below(4);
    const Polynomials row = draw.polynomials(1, false, true);
    const Polynomials seen = forward::seen_from_key(row, keys - 1);
    const Polynomials of_key = draw.polynomials(1, true, true);
    const Polynomials sum = forward::sum_over_keys(of_key, keys - 1);
    const Point at = draw.point(keys);
    Rational total = 0;
    for (std::size_t k = 0; k < keys; ++k) {
      Point from = at;
      from.key = at.others[k];
      from.others.erase(from.others.begin() + static_cast<std::ptrdiff_t>(k));
      CHECK(value(seen, 0, from) == value(row, 0, at));
      total += value(of_key, 0, from);
    }
    CHECK(value(sum, 0, at) == total);
    CHECK(sum.remainder[0] == of_key.remainder[0] * keys);
  }
}

TEST_CASE("polynomials: a range with one key is attained at a corner") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Draw draw(seed);
    Polynomials x(1);
    for (int t = 0; t < 12; ++t) {
      Monomial monomial{draw.letters(3, false), draw.letters(1, false), {}};
      const Letters& own = monomial.own;
      if (std::adjacent_find(own.begin(), own.end()) != own.end()) continue;
      x[monomial][0] = draw.number(1000);
    }
    Rational least = 0;
    Rational most = 0;
    for (std::size_t corner = 0; corner < 64; ++corner) {
      Point at;
      for (std::size_t k = 0; k < kNoise; ++k) {
        at.own.emplace_back((corner >> k) % 2 == 0 ? -1 : 1);
        at.key.emplace_back((corner >> (kNoise + k)) % 2 == 0 ? -1 : 1);
      }
      const Rational here = value(x, 0, at);
      least = corner == 0 ? here : exact::min(least, here);
      most = corner == 0 ? here : exact::max(most, here);
    }
    const forward::Range range = forward::range(x, 0, 0);
    CHECK(Rational(range.lower) == least);
    CHECK(Rational(range.upper) == most);
  }
}

// One of the letters 2, 3 of these keys, or neither, is the pivot.
TEST_CASE("polynomials: no input of few keys lies outside a range with a pivot") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Draw draw(seed);
    const std::size_t keys = 1 + seed % 3;
    const auto pivot = static_cast<std::uint32_t>(2 + draw.below(3));
    Polynomials x(1);
    for (const forward::Others& others : {forward::Others{{2}},
                                          {{3}},
                                          {{2, 2}},
                                          {{2, 3}},
                                          {{3, 3}},
                                          {{2}, {2}},
                                          {{2}, {3}},
                                          {{3}, {3}}}) {
      for (const Letters& own : {Letters{}, Letters{3}}) {
        if (draw.below(3) == 0) x[{own, {}, others}][0] = draw.number(1000);
      }
    }
    const forward::Range range = forward::range(x, 0, keys, pivot);
    // Letters of keys in {-1, 0, 1}, their squares among them; the own one at both corners.
    std::size_t places = 2;
    for (std::size_t k = 0; k < keys; ++k) places *= 9;
    for (std::size_t place = 0; place < places; ++place) {
      Point at{{0, place % 2 == 0 ? 1 : -1, 0}, {}, {}};
      std::size_t rest = place / 2;
      for (std::size_t k = 0; k < keys; ++k, rest /= 9) {
        at.others.push_back(
            {static_cast<int>(rest % 3) - 1, static_cast<int>(rest / 3 % 3) - 1, 0});
      }
      const Rational here = value(x, 0, at);
      CHECK(Rational(range.lower) <= here);
      CHECK(here <= Rational(range.upper));
    }
  }
}

TEST_CASE("polynomials: a range with a pivot holds every mean of it") {
  for (int slope = -2000; slope <= 2000; slope += 100) {
    Polynomials x(1);
    x[{{}, {}, {{2}}}][0] = slope;
    x[{{}, {}, {{2, 2}}}][0] = -1000;
    const forward::Range range = forward::range(x, 0, 1, 2);
    for (int i = -20; i <= 20; ++i) {
      const Rational here = value(x, 0, {{}, {}, {{exact::make_rational(i, 20)}}});
      CHECK(Rational(range.lower) <= here);
      CHECK(here <= Rational(range.upper));
    }
  }
}

// 16 times the covariances, over four keys, of letter 2 and of letters 2, 3, 4.
TEST_CASE("polynomials: a range with a pivot knows how large covariances with it can be") {
  constexpr int kKeys = 4;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Draw draw(seed);
    Polynomials x(1);
    Integer most = 0;
    for (std::uint32_t letter = 2; letter < 2 + kNoise; ++letter) {
      const Integer slope = draw.number(1000);
      const Letters own{static_cast<std::uint32_t>(2 + draw.below(kNoise))};
      x[{own, {}, {{2, letter}}}][0] = (kKeys - 1) * slope;
      x[{own, {}, {{2}, {letter}}}][0] = -slope;
      most += kKeys * kKeys * (slope < 0 ? Integer(-slope) : slope);
    }
    // Attained where letter 2 is 1 in two keys and -1 in two, the others this or its negative.
    const forward::Range range =
        forward::range(x, 0, kKeys, static_cast<std::uint32_t>(2 + seed % 4));
    CHECK(range.upper <= most);
    CHECK(range.upper >= most - kKeys * kKeys);
    CHECK(range.upper - range.lower == 2 * most);
  }
}

// Two letters, the row's own 5 and the keys' 6, with what they stand for in their places.
TEST_CASE("polynomials: what is substituted for letters is within the remainder") {
  constexpr std::uint32_t kOwn = 5;
  constexpr std::uint32_t kOfKey = 6;
  std::size_t replaced = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    Draw draw(seed);
    const bool has_key = seed % 2 == 0;
    const std::size_t keys = 1 + draw.below(3);
    const std::size_t degree = 2 + draw.below(4);
    const auto definition = [&](bool of_key) {
      Polynomials result = draw.polynomials(1, of_key, true);
      for (auto& [monomial, row] : result.terms) row[0] /= 64;
      result.remainder[0] = draw.below(100);
      return result;
    };
    const std::vector<forward::Definition> letters = {{kOwn, false, definition(false)},
                                                      {kOfKey, true, definition(true)}};
    Polynomials x(2);
    x.remainder = {5, 7};
    for (auto& [monomial, row] : draw.polynomials(2, has_key, true).terms) {
      Monomial with = monomial;
      for (std::size_t power = draw.below(3); power > 0; --power) with.own.push_back(kOwn);
      if (has_key && draw.below(2) == 0) with.key.push_back(kOfKey);
      for (Letters& other : with.others) {
        if (!has_key && draw.below(2) == 0) other.push_back(kOfKey);
      }
      std::sort(with.others.begin(), with.others.end());
      if (with.degree() <= degree) x[with] = row;
    }
    const Polynomials result = forward::substituted(x, letters, degree, keys, kBits);
    replaced += result.terms == x.terms ? 0 : 1;
    for (int trial = 0; trial < 4; ++trial) {
      // With a key, `keys` others beside it; without, so many in all.
      Point at = draw.point(keys);
      const Rational unit = exact::power_of_two(kBits);
      for (const int s : {-1, 1}) {
        const auto stands_for = [&](std::size_t which, const Point& from) -> Rational {
          const Polynomials& value_of = letters[which].value;
          return (value(value_of, 0, from) + s * Rational(value_of.remainder[0])) / unit;
        };
        Point full = at;
        full.own.push_back(stands_for(0, at));
        full.own.emplace_back(0);
        full.key.emplace_back(0);
        full.key.push_back(stands_for(1, at));
        for (std::size_t k = 0; k < at.others.size(); ++k) {
          Point from = at;
          from.key = at.others[k];
          from.others.erase(from.others.begin() + static_cast<std::ptrdiff_t>(k));
          full.others[k].emplace_back(0);
          full.others[k].push_back(stands_for(1, from));
        }
        for (std::size_t c = 0; c < 2; ++c) {
          CHECK(exact::abs(value(x, c, full) - value(result, c, full)) <=
                Rational(result.remainder[c] - x.remainder[c]));
        }
      }
    }
  }
  CHECK(replaced > 40);
}
