// Polynomials in letters, numbers in [-1, 1], with remainders: what a row of a stack is on the
// whole box, for rule `moments`. MOMENT_RULES.md. Whole coefficients in units of 2^-kSeriesBits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/matrix.hpp"
#include "exact/rational.hpp"

namespace sinkproof::forward {

inline constexpr unsigned kSeriesBits = 44;
inline constexpr std::size_t kMostSeriesDegree = 4;

using Word = std::int64_t;  // below 2^kWordBits in absolute value, or TooCoarse is thrown
__extension__ using Wide = __int128;
inline constexpr unsigned kWordBits = 56;
inline constexpr Word kOne = Word{1} << kSeriesBits;

// |n|, or TooCoarse.
Word narrow(Wide n);
Word ceil_shift(Wide n);  // n / 2^kSeriesBits, n >= 0
Word word(const exact::Integer& n);
Word floor_word(const exact::Rational& x);  // in units
inline Word size_of(Word n) { return n < 0 ? -n : n; }
inline Word half_up(Word n) { return (n + 1) >> 1U; }
inline Word product_up(Word a, Word b) { return ceil_shift(Wide{a} * b); }

// Numbers in units of 2^-kFineBits, those of exp: exactly, and rounded.
inline constexpr unsigned kFineBits = 64;
exact::Integer fine(Word n);
Word up(const exact::Integer& fine);
Word down(const exact::Integer& fine);

// At most four letters, from 1 on, the largest first.
using Letter = std::uint16_t;
using Term = std::array<Letter, kMostSeriesDegree>;
std::size_t degree_of(const Term& term);

// What letters mean where ranges are taken: letters 1 to `walked` are the row's own noise, at most
// kMostWalkedLetters of them; `means` letters from `mean` on are means t_a over keys of their
// noise; `spreads` names by letter - spread the pair (a, b) of the covariance c_ab.
inline constexpr std::size_t kMostWalkedLetters = 13;
struct Alphabet {
  std::size_t walked = 0;
  std::size_t means = 0;
  Letter mean = 0;
  Letter spread = 0;
  std::size_t columns = 0;  // c_ab has letter spread + a columns + b, a <= b

  [[nodiscard]] bool is_mean(Letter letter) const {
    return letter >= mean && letter < mean + means;
  }
  // Of two means' letters.
  [[nodiscard]] bool is_spread(Letter letter) const {
    return spread != 0 && letter >= spread &&
           static_cast<std::size_t>(letter - spread) < columns * columns &&
           (letter - spread) / columns < means && (letter - spread) % columns < means;
  }
  [[nodiscard]] Letter covariance(std::size_t a, std::size_t b) const {
    return static_cast<Letter>(spread + (a < b ? a * columns + b : b * columns + a));
  }
};

// A vector of `size` polynomials: term t has the coefficients values[t size ..]; all functions
// within remainder[c] of coordinate c's.
struct Series {
  std::size_t size = 0;
  std::vector<Term> terms;
  std::vector<Word> values;
  std::vector<Word> remainder;

  Series() = default;
  explicit Series(std::size_t coordinates) : size(coordinates), remainder(coordinates) {}
  [[nodiscard]] Word constant(std::size_t c) const;
};

// An affine map; every entry within one unit of the exact one.
struct FixedMap {
  exact::Matrix<Word> weight;
  std::vector<Word> bias;
};
FixedMap fixed_map(const exact::ScaledMatrix& map);  // of which the last column is the bias

Series number(Word value, Word remainder = 0);  // of one coordinate
Series first_coordinates(const Series& x, std::size_t count);
Series coordinate(const Series& x, std::size_t c);
Series constant(const std::vector<Word>& values, const std::vector<Word>& remainder);
// The letters first, first + 1, .. times the columns of a matrix.
Series linear(const exact::Matrix<Word>& columns, Letter first);

Series sum(const Series& a, const Series& b, int sign = 1);
Series times(const Series& a, Word factor);
// As exact map, and as one whose entries are within a unit.
Series apply(const exact::Matrix<Word>& weight, const Series& x);
Series apply(const FixedMap& map, const Series& x);

// Products up to the degree: the inner product, and one coordinate times each of b's.
Series inner(const Series& a, const Series& b, std::size_t degree, const Alphabet& alphabet);
Series scaled(const Series& a, const Series& b, std::size_t degree, const Alphabet& alphabet);
// Coordinate r: the sum over a and b of columns(r, a) c_ab x_b, up to the degree.
Series covariance(const exact::Matrix<Word>& columns, const Series& x,
                  const std::vector<std::size_t>& numbers, std::size_t degree,
                  const Alphabet& alphabet);

// What |coordinate c| does not exceed: absolute values, summed up.
Word reach(const Series& x, std::size_t c);
struct WordRange {
  Word lower;
  Word upper;
};
// Between which numbers coordinate c lies.
WordRange range(const Series& x, std::size_t c, const Alphabet& alphabet);
// By degree what the terms of that degree do not exceed, coordinate by coordinate: [d size + c].
std::vector<Word> sizes(const Series& x, const Alphabet& alphabet);

}  // namespace sinkproof::forward
