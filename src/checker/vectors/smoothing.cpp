#include "vectors/smoothing.hpp"

#include "certificate/rule.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;

// The sum of the rows, as one row.
exact::IntegerMatrix sum_of(const exact::IntegerMatrix& rows) {
  exact::IntegerMatrix sum(1, rows.columns());
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    for (std::size_t j = 0; j < rows.columns(); ++j) sum(0, j) += rows(k, j);
  }
  return sum;
}

// With sums A, B of the rows: (1/T) sum a_k.b_k - (A/T).(B/T), and (A/T).(B/T).
Moments::Products products_of(const exact::ScaledMatrix& a, const exact::ScaledMatrix& b) {
  const Integer count = a.rows();
  const Integer scale = count * count * a.denominator * b.denominator;
  const Integer means = inner(sum_of(a.entries), sum_of(b.entries));
  const Integer apart = count * inner(a.entries, b.entries) - means;
  return {exact::make_rational(apart, scale), exact::make_rational(means, scale)};
}

void require_between(const exact::Enclosure& range, const std::string& name,
                     const Rational& value) {
  require(range.lower <= value && value <= range.upper, name, "does not lie between these");
}

}  // namespace

Moments moments_of(const exact::ScaledMatrix& tokens, const exact::ScaledMatrix& outputs) {
  return {products_of(tokens, tokens), products_of(tokens, outputs), products_of(outputs, outputs)};
}

void verify_smoothing(const certificate::Smoothing& stated, const Moments& moments) {
  const Rational& beta = stated.beta;
  const auto& [tokens, mixed, outputs] = moments;
  const Rational s = beta * mixed.apart;
  require_between(stated.s, "s", s);
  require_between(stated.t, "t", outputs.apart);
  require_between(stated.s_plus_t, "s_plus_t", s + outputs.apart);
  require_between(stated.spread, "spread", tokens.apart);
  // |beta mu + nu|^2
  require_between(stated.mean_norm, "mean_norm",
                  beta * (beta * tokens.means + 2 * mixed.means) + outputs.means);
}

}  // namespace sinkproof::check
