// Polynomials in the noise of a task sequence, with a remainder: what a row of a stack is, over all
// inputs of the box at once. CHECKPOINT_RULES.md, 4.19. Whole coefficients in units of 2^-p.
//
// Content keys before the trigger are exchangeable, so that a monomial names their coordinates and
// not their positions: it stands for its sum over all ways to give distinct keys to its `others`.
// The size of a polynomial does not depend on the length of the sequence.
#pragma once

#include <boost/container/static_vector.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "exact/matrix.hpp"
#include "exact/rational.hpp"
#include "forward/ball.hpp"

namespace sinkproof::forward {

inline constexpr std::size_t kMostDegree = 6;
// Corners of so many of a row's own letters are walked; for what is beyond, and for terms
// in more than kMostTogether letters of keys, absolute values are added.
inline constexpr std::size_t kMostWalked = 13;
inline constexpr std::size_t kMostTogether = 3;

// Noise coordinates, sorted, each as often as its power.
using Letters = boost::container::static_vector<std::uint32_t, kMostDegree>;
using Others = boost::container::static_vector<Letters, kMostDegree>;

// own: of the row's own token; key: of one key the polynomial speaks of; others: of further keys,
// distinct from it and from each other, each not empty, sorted.
struct Monomial {
  Letters own;
  Letters key;
  Others others;

  [[nodiscard]] std::size_t degree() const;
  std::strong_ordering operator<=>(const Monomial&) const = default;
};

// A vector of polynomials: one coefficient and one remainder (>= 0) for each coordinate.
struct Polynomials {
  std::size_t size = 0;
  std::map<Monomial, std::vector<exact::Integer>> terms;
  std::vector<exact::Integer> remainder;

  Polynomials() = default;
  explicit Polynomials(std::size_t coordinates) : size(coordinates), remainder(coordinates) {}
  // The coefficients of a monomial, zero if it was not there.
  std::vector<exact::Integer>& operator[](const Monomial& monomial);
};

// How many terms a monomial stands for: keys (keys - 1) ... for its others.
exact::Integer instances(const Monomial& monomial, std::size_t keys);

// In all of these `keys` is the number of keys the others may be, and results enclose.
Polynomials constant(const std::vector<exact::Integer>& values);
Polynomials intervals(const std::vector<Range>& ranges);
Polynomials interval(const Range& range);  // of one coordinate
// The affine map of a matrix whose last column is its bias.
Polynomials apply(const exact::ScaledMatrix& map, const Polynomials& x, std::size_t keys,
                  unsigned p);
void add(Polynomials& sum, const Polynomials& x, int sign);
// x / divisor, divisor > 0.
Polynomials divided(Polynomials x, const exact::Integer& divisor, std::size_t keys);
// The inner product, and the product of a's one coordinate with each of b's; terms of a degree
// above the given one go into the remainder.
Polynomials inner(const Polynomials& a, const Polynomials& b, std::size_t degree, std::size_t keys,
                  unsigned p);
Polynomials scaled(const Polynomials& a, const Polynomials& b, std::size_t degree, std::size_t keys,
                   unsigned p);

// A row's own noise as a key's. Precondition: no key.
Polynomials as_key(const Polynomials& row);
// The same polynomial seen from one of its `others`, the key, of which none is left out; `keys`
// others are left.
Polynomials seen_from_key(const Polynomials& row, std::size_t keys);
// The sum over all keys, `keys` + 1 of them, of what speaks of one.
Polynomials sum_over_keys(const Polynomials& of_key, std::size_t keys);
// Others in the remainder.
Polynomials without_others(const Polynomials& row, std::size_t keys);

// A letter for a number in [-1, 1] that is a polynomial of one coordinate: in the row's own noise,
// or in it and in that of the key among whose letters it is found.
struct Definition {
  std::uint32_t letter;
  bool of_key;
  Polynomials value;
};
// Their definitions take the place of letters in terms whose degree and number of these letters,
// together, are at most `degree`; elsewhere a letter stays what it is, a number in [-1, 1].
// Precondition: letters ascend, and nothing else lies between them.
Polynomials substituted(const Polynomials& x, const std::vector<Definition>& letters,
                        std::size_t degree, std::size_t keys, unsigned p);

// What |coordinate c| does not exceed: the sum of all absolute values.
exact::Integer reach(const Polynomials& x, std::size_t c, std::size_t keys);
// Between which numbers coordinate c lies on the box. With a pivot, what is in one key and what is
// in two of them, one of these letters, is bounded together.
Range range(const Polynomials& x, std::size_t c, std::size_t keys,
            std::optional<std::uint32_t> pivot = {});
// Centre of `a`, and a remainder that holds both.
void widen(Polynomials& a, const Polynomials& b, std::size_t keys);

}  // namespace sinkproof::forward
