// A row of rule `moments` at a corner of the box: what its letters are there, and how far its
// polynomials are from given values.
#pragma once

#include <map>
#include <vector>

#include "drawn_stack.hpp"
#include "forward/moment_model.hpp"

namespace sinkproof::test {

inline Rational units(const Integer& n) {
  return exact::make_rational(n, Integer(1) << forward::kSeriesBits);
}

// Values of the letters of the last row of these tokens, in the box [-1, 1].
inline std::map<forward::Letter, Rational> letters_at(
    const RationalMatrix& tokens, const forward::MomentModel::Letters& letters) {
  std::map<forward::Letter, Rational> at;
  const std::size_t keys = tokens.rows() - 2;
  std::vector<Rational> mean(kWidth - 3);
  for (std::size_t a = 0; a < mean.size(); ++a) {
    at[static_cast<forward::Letter>(1 + a)] = tokens(tokens.rows() - 1, certificate::kNoise + a);
    for (std::size_t k = 1; k <= keys; ++k)
      mean[a] += tokens(k, certificate::kNoise + a) / Rational(keys);
    at[static_cast<forward::Letter>(letters.keys.mean + a)] = mean[a];
  }
  for (std::size_t a = 0; a < mean.size(); ++a) {
    for (std::size_t b = a; b < mean.size(); ++b) {
      Rational& both = at[letters.alphabet.covariance(a, b)];
      for (std::size_t k = 1; k <= keys; ++k) {
        both += (tokens(k, certificate::kNoise + a) - mean[a]) *
                (tokens(k, certificate::kNoise + b) - mean[b]) / Rational(keys);
      }
    }
  }
  return at;
}

// How far coordinate c of the polynomial is from this value.
inline Rational error_of(const forward::Series& x, std::size_t c,
                         const std::map<forward::Letter, Rational>& at, const Rational& value) {
  Rational sum = 0;
  for (std::size_t t = 0; t < x.terms.size(); ++t) {
    Rational product = units(x.values[t * x.size + c]);
    for (const forward::Letter letter : x.terms[t])
      product *= letter == 0 ? Rational(1) : at.at(letter);
    sum += product;
  }
  return exact::abs(Rational(sum - value));
}

// BOS and content tokens, whose noise is a corner of the box [-1, 1].
inline RationalMatrix content_tokens(std::size_t rows, std::uint64_t corner) {
  constexpr std::size_t kLetters = kWidth - 3;
  RationalMatrix tokens(rows, kWidth);
  tokens(0, certificate::kBosFlag) = 1;
  for (std::size_t k = 0; k < (rows - 1) * kLetters; ++k) {
    tokens(1 + k / kLetters, kWidth - 1) = 1;
    tokens(1 + k / kLetters, certificate::kNoise + k % kLetters) = (corner >> k & 1U) != 0 ? 1 : -1;
  }
  return tokens;
}

}  // namespace sinkproof::test
