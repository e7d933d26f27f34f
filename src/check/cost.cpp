#include "check/cost.hpp"

#include <algorithm>

#include "certificate/fields.hpp"
#include "certificate/whole.hpp"
#include "check/longest_text.hpp"
#include "check/margin_constraints.hpp"
#include "check/rejected.hpp"
#include "check/semidefinite.hpp"
#include "exact/bits.hpp"

namespace sinkproof::check {
namespace {

using certificate::only_keys;
using exact::Integer;
using exact::Rational;

constexpr std::size_t kMaxVectors = 256;
constexpr std::size_t kMaxMultiplierCharacters = 40;
constexpr std::size_t kMaxFactorCharacters = 400;
constexpr std::size_t kMaxNormCharacters = 400;
constexpr std::size_t kMaxBits = std::size_t{1} << 18U;       // over T
constexpr std::size_t kMaxPivotBits = std::size_t{1} << 25U;  // over T^2

Rational number(const json::Value& object, const std::string& name) {
  return value_of(certificate::rational_field(object, name, name));
}

void require_few(const ScaledMatrix& gram) {
  require(gram.rows() <= kMaxVectors, "vectors", "more than 256");
}

// tr(A G A^T), the squared Frobenius norm of A V.
Rational squared_norm(const ScaledMatrix& rows, const ScaledMatrix& gram) {
  const IntegerMatrix image = rows.entries * gram.entries;
  return exact::make_rational(inner(rows.entries, image),
                              rows.denominator * rows.denominator * gram.denominator);
}

void verify_upper(const json::Value& evidence, const MarginConstraints& margins,
                  const Rational& upper, const ScaledMatrix& gram) {
  const ScaledMatrix query =
      read_coefficients(evidence["query"], gram.rows(), kMaxFactorCharacters, "query");
  const ScaledMatrix key =
      read_coefficients(evidence["key"], gram.rows(), kMaxFactorCharacters, "key");
  require(query.rows() >= 1 && query.rows() == key.rows(), "query",
          "query and key must have the same number of rows, at least one");
  const ScaledMatrix queries = product(query, gram);  // A G, so that S = (A G)^T (B G)
  const ScaledMatrix keys = product(key, gram);
  const ScaledMatrix transposed{exact::transpose(queries.entries), queries.denominator};
  require_margins(margins, product(transposed, keys));
  require(squared_norm(query, gram) + squared_norm(key, gram) <= upper, "upper",
          "the factorisation costs more");
}

// q^2 D^3 (t^2 G - (G L) G (G L)^T) for t = p/q.
IntegerMatrix norm_gap(const Rational& norm, const IntegerMatrix& multipliers,
                       const ScaledMatrix& gram, certificate::Work& work) {
  const Integer p = boost::multiprecision::numerator(norm);
  const Integer q = boost::multiprecision::denominator(norm);
  const Integer scale = p * p * gram.denominator * gram.denominator;
  const IntegerMatrix weighted = gram.entries * multipliers;
  const IntegerMatrix image = weighted * gram.entries * exact::transpose(weighted);
  const std::size_t count = gram.rows();
  const std::size_t most = std::min(kMaxBits / count, kMaxPivotBits / (count * count));
  IntegerMatrix gap(count, count);
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < gap.rows(); ++i) {
    for (std::size_t j = 0; j < gap.columns(); ++j) {
      gap(i, j) = scale * gram.entries(i, j) - q * q * image(i, j);
      longest = std::max(longest, exact::bits_of(gap(i, j)));
      require(longest <= most, "norm", "numbers are too long to decide");
    }
  }
  value_of(work.spend({count, count, count, certificate::words_of(count * longest)}, "norm"));
  return gap;
}

void verify_lower(const json::Value& evidence, const MarginConstraints& margins,
                  const Rational& lower, const ScaledMatrix& gram, certificate::Work& work) {
  const Multipliers multipliers =
      read_multipliers(evidence["multipliers"], margins, gram.rows(), kMaxMultiplierCharacters);
  const std::string text = value_of(certificate::string_field(evidence, "norm", "norm"));
  require(text.size() <= kMaxNormCharacters, "norm", "is too long");
  const Rational norm = number(evidence, "norm");
  if (lower == 0) {
    require(multipliers.empty && norm == 0, "lower", "0 needs no multipliers and norm 0");
    return;
  }
  require(lower > 0 && norm > 0, "lower", "lower and norm must be positive");
  require(is_positive_semidefinite(norm_gap(norm, multipliers.matrix, gram, work)), "norm",
          "the multipliers' matrix has a larger norm");
  require(2 * Rational(multipliers.weight) * margins.margin >= lower * norm, "lower",
          "is more than the multipliers give");
}

// G L G, whose denominator is D^2.
IntegerMatrix between(const ScaledMatrix& gram, const IntegerMatrix& matrix) {
  return gram.entries * matrix * gram.entries;
}

}  // namespace

void verify_cost(const json::Value& statement, const json::Value& evidence,
                 const ScaledMatrix& gram, certificate::Work& work) {
  value_of(only_keys(statement, {"lower", "pattern", "property", "upper"}, "statement"));
  value_of(only_keys(evidence, {"key", "multipliers", "norm", "query"}, "evidence"));
  require_few(gram);
  const MarginConstraints margins = read_margins(statement["pattern"], gram.rows());
  verify_upper(evidence, margins, number(statement, "upper"), gram);
  verify_lower(evidence, margins, number(statement, "lower"), gram, work);
}

void verify_infeasible(const json::Value& statement, const json::Value& evidence,
                       const ScaledMatrix& gram) {
  value_of(only_keys(statement, {"pattern", "property"}, "statement"));
  value_of(only_keys(evidence, {"multipliers"}, "evidence"));
  require_few(gram);
  const MarginConstraints margins = read_margins(statement["pattern"], gram.rows());
  const Multipliers multipliers = read_multipliers(evidence["multipliers"], margins, gram.rows(),
                                                   certificate::kMaxWholeCharacters);
  require(!multipliers.empty, "multipliers", "there is none");
  const IntegerMatrix zero(gram.rows(), gram.rows());
  require(between(gram, multipliers.matrix) == zero, "multipliers",
          "the constraints do not add up to zero");
}

void verify_representable(const json::Value& statement, const json::Value& evidence,
                          const ScaledMatrix& gram) {
  value_of(only_keys(statement, {"lower", "pattern", "property", "upper"}, "statement"));
  value_of(only_keys(evidence, {"matrix", "multipliers"}, "evidence"));
  require_few(gram);
  const MarginConstraints margins = read_margins(statement["pattern"], gram.rows());
  const ScaledMatrix matrix = read_coefficients(evidence["matrix"], gram.rows(),
                                                certificate::kMaxWholeCharacters, "matrix");
  require(matrix.rows() == gram.rows(), "matrix", "must have T rows");
  const Integer square = gram.denominator * gram.denominator;
  const ScaledMatrix scores{between(gram, matrix.entries), square * matrix.denominator};
  require_margins(margins, scores);
  const Rational frobenius = exact::make_rational(inner(matrix.entries, scores.entries),
                                                  scores.denominator * matrix.denominator);
  const Rational lower = number(statement, "lower");
  require(lower > 0 && lower * frobenius <= 1, "lower", "the matrix has a smaller margin");
  const Multipliers multipliers = read_multipliers(evidence["multipliers"], margins, gram.rows(),
                                                   certificate::kMaxWholeCharacters);
  require(!multipliers.empty, "multipliers", "there is none");
  const Rational hull =
      exact::make_rational(inner(multipliers.matrix, between(gram, multipliers.matrix)), square);
  const Rational weight = Rational(multipliers.weight) * margins.margin;
  require(hull <= number(statement, "upper") * weight * weight, "upper",
          "the multipliers allow a larger margin");
}

}  // namespace sinkproof::check
