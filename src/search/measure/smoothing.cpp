#include "measure/smoothing.hpp"

#include "measure/cosine.hpp"
#include "measure/real_roots.hpp"

namespace sinkproof::measure {
namespace {

using exact::Enclosure;
using exact::Integer;
using exact::Rational;

DyadicMatrix column_sums(const DyadicMatrix& rows) {
  DyadicMatrix sums{exact::Matrix<Integer>(1, rows.columns()), rows.scale};
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) sums.entries(0, j) += rows.entries(i, j);
  }
  return sums;
}

// T (x_k - mu).
DyadicMatrix centred(const DyadicMatrix& rows) {
  const DyadicMatrix sums = column_sums(rows);
  const Integer count = rows.rows();
  DyadicMatrix result = rows;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      result.entries(i, j) = count * rows.entries(i, j) - sums.entries(0, j);
    }
  }
  return result;
}

// sum_k a_k . b_k over the rows.
Rational sum_of_products(const DyadicMatrix& a, const DyadicMatrix& b) {
  Integer sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) sum += a.entries(i, j) * b.entries(i, j);
  }
  return Rational(sum) * exact::power_of_two(-static_cast<long>(a.scale + b.scale));
}

// |(beta I + W) mu + W_O c|^2.
Rational mean_norm_of(const ValueHead& head, const DyadicMatrix& tokens, const Rational& beta) {
  const Rational count(tokens.rows());
  const DyadicMatrix sums = column_sums(tokens);
  const DyadicMatrix moved =
      times_transpose(times_transpose(sums, head.value), head.output);  // W sum x
  const DyadicMatrix constant = times_transpose(head.bias, head.output);
  Rational norm = 0;
  for (std::size_t j = 0; j < tokens.columns(); ++j) {
    const Rational entry = (beta * sums.at(0, j) + moved.at(0, j)) / count + constant.at(0, j);
    norm += entry * entry;
  }
  return norm;
}

exact::Enclosure exactly(const Rational& value) { return {value, value}; }

Rational theta(std::size_t position) { return 1 - 1 / Rational(position); }

// D_i of sm-1, a polynomial of degree 2 in lam.
Univariate expected_norm(const Smoothing& head, std::size_t position) {
  const Rational th = theta(position);
  return {head.mean_norm + head.beta * head.beta * head.spread + 2 * head.s + head.t,
          -2 * th * (head.s + head.t), th * head.t};
}

}  // namespace

SmoothingCase Smoothing::which() const {
  if (t == 0) return SmoothingCase::kNoSpread;
  if (s >= 0) return SmoothingCase::kIncreases;
  if (s + t < 0) return SmoothingCase::kDecreases;
  if (s + t == 0) return SmoothingCase::kBalanced;
  return SmoothingCase::kTurns;
}

Smoothing smoothing(const ValueHead& head, const DyadicMatrix& tokens, const Rational& beta) {
  const DyadicMatrix deviations = centred(tokens);
  const DyadicMatrix moved = times_transpose(times_transpose(deviations, head.value), head.output);
  const Rational count(tokens.rows());
  const Rational cube = count * count * count;
  Smoothing result;
  result.beta = beta;
  result.s = beta * sum_of_products(deviations, moved) / cube;
  result.t = sum_of_products(moved, moved) / cube;
  result.spread = sum_of_products(deviations, deviations) / cube;
  result.mean_norm = mean_norm_of(head, tokens, beta);
  result.property = certificate::Smoothing{beta,
                                           exactly(result.s),
                                           exactly(result.t),
                                           exactly(result.s + result.t),
                                           exactly(result.mean_norm),
                                           exactly(result.spread)};
  return result;
}

std::string in_words(const Smoothing& head) {
  switch (head.which()) {
    case SmoothingCase::kNoSpread:
      return "t = 0: the head sends all rows to one point; its attention changes nothing";
    case SmoothingCase::kIncreases:
      return "sm-2 (a), s >= 0: the denser the attention, the more it smooths";
    case SmoothingCase::kDecreases:
      return "sm-2 (b), s + t < 0: the denser the attention, the less it smooths, while expected "
             "products are not negative";
    case SmoothingCase::kBalanced:
      return head.mean_norm > 0
                 ? "sm-2 (c), s + t = 0: the denser the attention, the less it smooths"
                 : "sm-2 (c), s + t = 0 and the mean goes to 0: the expected cosine is 0 "
                   "throughout";
    case SmoothingCase::kTurns:
      return "sm-2 (d), -t < s < 0: denser attention smooths more up to the turning point at least";
  }
  return "";
}

std::optional<Rational> norm_turning_point(const Smoothing& head) {
  if (head.which() != SmoothingCase::kTurns) return std::nullopt;
  return 1 + head.s / head.t;
}

std::vector<Enclosure> cosine_turning_points(const Smoothing& head, std::size_t i, std::size_t l) {
  const auto turning = norm_turning_point(head);
  if (!turning) return {};
  const Univariate first = expected_norm(head, i);
  const Univariate second = expected_norm(head, l);
  const Rational slope = (head.s + head.t) / Rational(l);
  const Univariate expected = {head.mean_norm, slope};
  const Univariate shrinking = {head.s + head.t, -head.t};
  const Univariate weighted = sum(product({theta(i)}, second), product({theta(l)}, first));
  const Univariate quartic = sum(product({slope}, product(first, second)),
                                 product(expected, product(shrinking, weighted)));
  return real_roots(quartic, *turning, 1, exact::power_of_two(-40));
}

std::optional<Enclosure> predicted_cosine(const Smoothing& head, const Rational& lam,
                                          std::size_t length) {
  std::vector<Rational> norms;
  for (std::size_t i = 1; i <= length; ++i) {
    norms.push_back(value_at(expected_norm(head, i), lam));
    if (norms.back() <= 0) return std::nullopt;
  }
  Enclosure sum{0, 0};
  for (std::size_t l = 2; l <= length; ++l) {
    const Rational product = head.mean_norm + lam * (head.s + head.t) / Rational(l);
    for (std::size_t i = 1; i < l; ++i) {
      const Enclosure one = cosine(product, norms[i - 1], norms[l - 1]);
      sum.lower += one.lower;
      sum.upper += one.upper;
    }
  }
  const Rational pairs = Rational(length * (length - 1)) / 2;
  return Enclosure{sum.lower / pairs, sum.upper / pairs};
}

CosineSimilarity attended_cosine(const ValueHead& head, const DyadicMatrix& tokens,
                                 const Rational& beta, bool uniform, std::size_t length) {
  const DyadicMatrix values = values_of(head, tokens);
  const Integer p = boost::multiprecision::numerator(beta);
  const Integer q = boost::multiprecision::denominator(beta);
  // Row i times q, and times i where attention is uniform: a cosine does not see positive factors.
  const unsigned scale = std::max(values.scale, tokens.scale);
  DyadicMatrix rows{exact::Matrix<Integer>(tokens.rows(), tokens.columns()), scale};
  for (std::size_t j = 0; j < tokens.columns(); ++j) {
    Integer sum = 0;
    for (std::size_t k = 0; k < tokens.rows(); ++k) {
      const std::size_t position = k % length;  // from 0
      if (position == 0 || !uniform) sum = 0;
      sum += values.entries(k, j) << (scale - values.scale);
      const Integer weight = uniform ? Integer(position + 1) : Integer(1);
      rows.entries(k, j) = weight * p * (tokens.entries(k, j) << (scale - tokens.scale)) + q * sum;
    }
  }
  return average_cosine(rows, length);
}

}  // namespace sinkproof::measure
