#include "check/smoothing.hpp"

#include "certificate/fields.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;

// The sum of the rows, as one row.
IntegerMatrix sum_of(const IntegerMatrix& rows) {
  IntegerMatrix sum(1, rows.columns());
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    for (std::size_t j = 0; j < rows.columns(); ++j) sum(0, j) += rows(k, j);
  }
  return sum;
}

struct Products {
  Rational apart;  // (1/T) sum (a_k - mean a).(b_k - mean b)
  Rational means;  // (mean a).(mean b)
};

// With sums A, B of the rows: (1/T) sum a_k.b_k - (A/T).(B/T), and (A/T).(B/T).
Products products_of(const ScaledMatrix& a, const ScaledMatrix& b) {
  const Integer count = a.rows();
  const Integer scale = count * count * a.denominator * b.denominator;
  const Integer means = inner(sum_of(a.entries), sum_of(b.entries));
  const Integer apart = count * inner(a.entries, b.entries) - means;
  return {exact::make_rational(apart, scale), exact::make_rational(means, scale)};
}

void require_between(const json::Value& statement, const std::string& name, const Rational& value) {
  const json::Value& range = statement[name];
  require(range.is_array() && range.size() == 2 && range[0].is_string() && range[1].is_string(),
          name, "must be two numbers");
  const Rational least = value_of(exact::parse_rational(range[0].get<std::string>()));
  const Rational most = value_of(exact::parse_rational(range[1].get<std::string>()));
  require(least <= value && value <= most, name, "does not lie between these");
}

}  // namespace

Moments moments_of(const ScaledMatrix& tokens, const ScaledMatrix& outputs) {
  const Products own = products_of(tokens, tokens);
  const Products mixed = products_of(tokens, outputs);
  const Products put_out = products_of(outputs, outputs);
  return {own.apart, mixed.apart, put_out.apart, own.means, mixed.means, put_out.means};
}

void verify_smoothing(const json::Value& statement, const json::Value& evidence,
                      const Moments& moments) {
  value_of(certificate::only_keys(
      statement, {"beta", "mean_norm", "property", "s", "s_plus_t", "spread", "t"}, "statement"));
  value_of(certificate::only_keys(evidence, {}, "evidence"));
  const Rational beta = value_of(certificate::rational_field(statement, "beta", "beta"));
  const Rational s = beta * moments.mixed;
  require_between(statement, "s", s);
  require_between(statement, "t", moments.outputs);
  require_between(statement, "s_plus_t", s + moments.outputs);
  require_between(statement, "spread", moments.tokens);
  // |beta mu + nu|^2
  require_between(
      statement, "mean_norm",
      beta * (beta * moments.token_mean + 2 * moments.mixed_means) + moments.output_mean);
}

}  // namespace sinkproof::check
