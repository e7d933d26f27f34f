// Which way a head smooths (claims sm-1, sm-2; VECTOR_RULES.md, 6.7): exact s = beta tr(BW) and
// t = tr(B W^T W) for the covariance B of given rows, W = W_O W_V and the residual coefficient
// beta, what their signs say, and the cosine similarity sm-1 expects of the head's outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exact/exp_enclosure.hpp"
#include "measure/cosine_similarity.hpp"
#include "measure/property.hpp"
#include "measure/vectors.hpp"

namespace sinkproof::measure {

// The cases of sm-2 (docs/THEORY.md, section 4).
enum class SmoothingCase {
  kNoSpread,   // t = 0: the head maps all rows to one point, and s = 0 too
  kIncreases,  // (a) s >= 0: dense attention smooths more
  kDecreases,  // (b) s + t < 0: dense attention smooths less
  kBalanced,   // (c) s + t = 0: strictly decreases where mean_norm > 0, constantly 0 where it is 0
  kTurns,      // (d) -t < s < 0: increases up to 1 + s/t at least
};

struct Smoothing {
  exact::Rational beta;
  exact::Rational s;
  exact::Rational t;
  exact::Rational mean_norm;  // |(beta I + W) mu + W_O c|^2, N0 of sm-1
  exact::Rational spread;     // tr B
  Property property;

  [[nodiscard]] SmoothingCase which() const;
};

// Preconditions: head.value.columns() = head.output.rows() = tokens.columns().
Smoothing smoothing(const ValueHead& head, const DyadicMatrix& tokens, const exact::Rational& beta);

// What a case says, in one sentence.
std::string in_words(const Smoothing& smoothing);

// 1 + s/t, where the expected norms turn; only in case (d).
std::optional<exact::Rational> norm_turning_point(const Smoothing& smoothing);

// Where the expected cosine of outputs i < l (from 1) starts to fall, in (1 + s/t, 1]: the roots of
// the quartic of sm-2 (d), each within 2^-40. Empty in the other cases and where it never falls.
// Precondition: 1 <= i < l.
std::vector<exact::Enclosure> cosine_turning_points(const Smoothing& smoothing, std::size_t i,
                                                    std::size_t l);

// sm-1's expected cosine, averaged over the pairs i < l <= length, for attention lam of the way
// from the diagonal (0) to uniform (1). An enclosure of the formula, which assumes independent
// rows. Nothing where an expected norm is 0. Preconditions: 0 <= lam <= 1, length >= 2.
std::optional<exact::Enclosure> predicted_cosine(const Smoothing& smoothing,
                                                 const exact::Rational& lam, std::size_t length);

// The average cosine of beta x_i + sum_l a_il v_l with that attention, over these rows themselves:
// what the prediction stands beside. Preconditions as for smoothing, lam is 0 or 1.
CosineSimilarity attended_cosine(const ValueHead& head, const DyadicMatrix& tokens,
                                 const exact::Rational& beta, bool uniform, std::size_t length);

}  // namespace sinkproof::measure
