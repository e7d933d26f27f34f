#include <algorithm>

#include "certificate/rule.hpp"
#include "exact/bits.hpp"
#include "vectors/gram_rules.hpp"
#include "vectors/margin_constraints.hpp"

namespace sinkproof::check {
namespace {

using certificate::Cost;
using certificate::Infeasible;
using certificate::Representable;
using exact::Integer;
using exact::Rational;

constexpr std::size_t kMaxVectors = 256;
constexpr std::size_t kMaxBits = std::size_t{1} << 18U;       // over T
constexpr std::size_t kMaxPivotBits = std::size_t{1} << 25U;  // over T^2

MarginConstraints margins_of_few(const certificate::Pattern& pattern,
                                 const exact::ScaledMatrix& gram) {
  require(gram.rows() <= kMaxVectors, "vectors", "more than 256");
  return margins_of(pattern);
}

// tr(A G A^T), the squared Frobenius norm of A V.
Rational squared_norm(const exact::ScaledMatrix& rows, const exact::ScaledMatrix& gram) {
  const exact::IntegerMatrix image = rows.entries * gram.entries;
  return exact::make_rational(inner(rows.entries, image),
                              rows.denominator * rows.denominator * gram.denominator);
}

void verify_upper(const Cost& stated, const MarginConstraints& margins,
                  const exact::ScaledMatrix& gram) {
  const exact::ScaledMatrix& query = stated.query;
  const exact::ScaledMatrix& key = stated.key;
  require(query.columns() == gram.rows() && key.columns() == gram.rows(), "query",
          "the rows of query and key must have T entries");
  require(query.rows() == key.rows(), "query", "query and key must have the same number of rows");
  const exact::ScaledMatrix queries = product(query, gram);  // A G, so that S = (A G)^T (B G)
  const exact::ScaledMatrix keys = product(key, gram);
  require_margins(margins, product(transpose(queries), keys));
  require(squared_norm(query, gram) + squared_norm(key, gram) <= stated.cost.upper, "upper",
          "the factorisation costs more");
}

// q^2 D^3 (t^2 G - (G L) G (G L)^T) for t = p/q.
exact::IntegerMatrix norm_gap(const Rational& norm, const exact::IntegerMatrix& multipliers,
                              const exact::ScaledMatrix& gram) {
  const Integer p = numerator(norm);
  const Integer q = denominator(norm);
  const Integer scale = p * p * gram.denominator * gram.denominator;
  const exact::IntegerMatrix weighted = gram.entries * multipliers;
  const exact::IntegerMatrix image = weighted * gram.entries * exact::transpose(weighted);
  const std::size_t count = gram.rows();
  const std::size_t most = std::min(kMaxBits / count, kMaxPivotBits / (count * count));
  exact::IntegerMatrix gap(count, count);
  for (std::size_t k = 0; k < gap.values().size(); ++k) {
    gap.values()[k] = scale * gram.entries.values()[k] - q * q * image.values()[k];
    require(exact::bits_of(gap.values()[k]) <= most, "norm", "numbers are too long to decide");
  }
  return gap;
}

void verify_lower(const Cost& stated, const MarginConstraints& margins,
                  const exact::ScaledMatrix& gram) {
  const Rational& lower = stated.cost.lower;
  if (lower == 0) {
    require(stated.multipliers.empty() && stated.norm == 0, "lower",
            "0 needs no multipliers and norm 0");
    return;
  }
  require(stated.norm > 0, "norm", "must be positive");
  const Multipliers multipliers = sum_of(stated.multipliers, margins, gram.rows());
  require(is_positive_semidefinite(norm_gap(stated.norm, multipliers.matrix, gram)), "norm",
          "the multipliers' matrix has a larger norm");
  require(2 * Rational(multipliers.weight) * margins.margin >= lower * stated.norm, "lower",
          "is more than the multipliers give");
}

// G L G, whose denominator is D^2.
exact::IntegerMatrix between(const exact::ScaledMatrix& gram, const exact::IntegerMatrix& matrix) {
  return gram.entries * matrix * gram.entries;
}

}  // namespace

void require_proved(const Cost& stated, const exact::ScaledMatrix& gram) {
  const MarginConstraints margins = margins_of_few(stated.pattern, gram);
  verify_upper(stated, margins, gram);
  verify_lower(stated, margins, gram);
}

void require_proved(const Infeasible& stated, const exact::ScaledMatrix& gram) {
  const MarginConstraints margins = margins_of_few(stated.pattern, gram);
  const Multipliers multipliers = sum_of(stated.multipliers, margins, gram.rows());
  const exact::IntegerMatrix zero(gram.rows(), gram.rows());
  require(between(gram, multipliers.matrix) == zero, "multipliers",
          "the constraints do not add up to zero");
}

void require_proved(const Representable& stated, const exact::ScaledMatrix& gram) {
  const MarginConstraints margins = margins_of_few(stated.pattern, gram);
  const exact::ScaledMatrix& matrix = stated.matrix;
  require(matrix.rows() == gram.rows() && matrix.columns() == gram.rows(), "matrix",
          "must have T rows of T entries");
  const Integer square = gram.denominator * gram.denominator;
  const exact::ScaledMatrix scores{between(gram, matrix.entries), square * matrix.denominator};
  require_margins(margins, scores);
  const Rational frobenius = exact::make_rational(inner(matrix.entries, scores.entries),
                                                  scores.denominator * matrix.denominator);
  require(stated.squared_margin.lower * frobenius <= 1, "lower", "the matrix has a smaller margin");
  const Multipliers multipliers = sum_of(stated.multipliers, margins, gram.rows());
  const Rational hull =
      exact::make_rational(inner(multipliers.matrix, between(gram, multipliers.matrix)), square);
  const Rational weight = Rational(multipliers.weight) * margins.margin;
  require(hull <= stated.squared_margin.upper * weight * weight, "upper",
          "the multipliers allow a larger margin");
}

}  // namespace sinkproof::check
