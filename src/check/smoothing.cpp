#include "check/smoothing.hpp"

#include "certificate/fields.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;

// W_O (W_V x) for each row x, without the bias.
ScaledMatrix image_of(const ScaledMatrix& rows, const ValueHead& head) {
  const ScaledMatrix values =
      product(rows, {exact::transpose(head.value.entries), head.value.denominator});
  return product(values, {exact::transpose(head.output.entries), head.output.denominator});
}

// T mu as one row.
ScaledMatrix sum_of(const ScaledMatrix& rows) {
  ScaledMatrix sum{IntegerMatrix(1, rows.columns()), rows.denominator};
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    for (std::size_t j = 0; j < rows.columns(); ++j) sum.entries(0, j) += rows.entries(k, j);
  }
  return sum;
}

// T (x_k - mu) for each k.
ScaledMatrix centred(const ScaledMatrix& rows, const ScaledMatrix& sum) {
  const Integer count = rows.rows();
  ScaledMatrix result{IntegerMatrix(rows.rows(), rows.columns()), rows.denominator};
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      result.entries(k, j) = count * rows.entries(k, j) - sum.entries(0, j);
    }
  }
  return result;
}

// The sum of the products of equal entries.
Rational total(const ScaledMatrix& a, const ScaledMatrix& b) {
  return exact::make_rational(inner(a.entries, b.entries), a.denominator * b.denominator);
}

Rational entry(const ScaledMatrix& row, std::size_t j) {
  return exact::make_rational(row.entries(0, j), row.denominator);
}

// |(beta I + W) mu + W_O c|^2
Rational mean_norm(const ScaledMatrix& sum, const ValueHead& head, const Rational& beta,
                   const Rational& count) {
  const ScaledMatrix image = image_of(sum, head);  // T W mu
  const ScaledMatrix constant =
      product(head.bias, {exact::transpose(head.output.entries), head.output.denominator});
  Rational norm = 0;
  for (std::size_t j = 0; j < sum.columns(); ++j) {
    const Rational mean = (beta * entry(sum, j) + entry(image, j)) / count + entry(constant, j);
    norm += mean * mean;
  }
  return norm;
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

void verify_smoothing(const json::Value& statement, const json::Value& evidence,
                      const VectorInput& input) {
  value_of(certificate::only_keys(
      statement, {"beta", "mean_norm", "property", "s", "s_plus_t", "spread", "t"}, "statement"));
  value_of(certificate::only_keys(evidence, {}, "evidence"));
  require(input.head.has_value(), "smoothing", "needs a head");
  const ValueHead& head = *input.head;
  require(head.output.rows() == input.tokens.columns(), "smoothing",
          "the head must put out vectors as long as the tokens");
  const Rational beta = value_of(certificate::rational_field(statement, "beta", "beta"));
  const Rational count(input.tokens.rows());
  const ScaledMatrix sum = sum_of(input.tokens);
  const ScaledMatrix apart = centred(input.tokens, sum);
  const ScaledMatrix image = image_of(apart, head);
  const Rational cube = count * count * count;  // (1/T) of products of two vectors times T
  const Rational s = beta * total(apart, image) / cube;
  const Rational t = total(image, image) / cube;
  require_between(statement, "s", s);
  require_between(statement, "t", t);
  require_between(statement, "s_plus_t", s + t);
  require_between(statement, "spread", total(apart, apart) / cube);
  require_between(statement, "mean_norm", mean_norm(sum, head, beta, count));
}

}  // namespace sinkproof::check
