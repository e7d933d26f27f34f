#include "estimate/head_smoothing.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "exact/rational.hpp"
#include "rounded/double.hpp"

namespace sinkproof::estimate {
namespace {

using exact::Rational;
using Exact = std::vector<std::vector<Rational>>;

Matrix drawn(std::size_t rows, std::size_t columns, double about, unsigned seed) {
  std::mt19937 bits(seed);
  std::normal_distribution<double> normal(about, 1);
  Matrix matrix;
  matrix.resize(rows, columns);
  for (double& entry : matrix.values) entry = normal(bits);
  return matrix;
}

Exact exactly(const Matrix& matrix) {
  Exact all;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    auto& row = all.emplace_back();
    for (std::size_t c = 0; c < matrix.columns; ++c) {
      row.push_back(rounded::from_double(matrix.row(i)[c]));
    }
  }
  return all;
}

Exact centred(Exact rows) {
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    Rational sum = 0;
    for (const auto& row : rows) sum += row[c];
    for (auto& row : rows) row[c] -= sum / Rational(rows.size());
  }
  return rows;
}

Rational mean_product(const Exact& a, const Exact& b) {
  Rational sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t c = 0; c < a[i].size(); ++c) sum += a[i][c] * b[i][c];
  }
  return sum / Rational(a.size());
}

Exact product(const Exact& a, const Exact& b) {
  Exact all(a.size(), std::vector<Rational>(b.front().size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t c = 0; c < b.front().size(); ++c) {
      for (std::size_t k = 0; k < b.size(); ++k) all[i][c] += a[i][k] * b[k][c];
    }
  }
  return all;
}

HeadSmoothing smoothing_of(const Matrix& x, const Matrix& values, const Matrix& output) {
  const Matrix uniform = uniform_weights(x.rows, 0, false);
  const Matrix square = square_of(uniform.view());
  const HeadRows head{0, 0, 0, 0, {}, {}, values.view(), uniform.view(), {}};
  return head_smoothing(x.view(), head, output.view(), uniform, square);
}

void check_holds(const Rounded& found, const Rational& exact) {
  const Rational away = rounded::from_double(found.value) - exact;
  const Rational error = rounded::from_double(found.error);
  CHECK(away <= error);
  CHECK(-away <= error);
}

}  // namespace

TEST_CASE("Bounds on the rounding of s, t and s + t hold, far from the origin as well") {
  // Centred and rounded: with a mean of 1e6 the doubles of s are off by far more than its last bit.
  for (const double about : {0.0, 1.0, 1e6}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      const Matrix x = drawn(7, 5, about, seed);
      const Matrix values = drawn(7, 3, about, seed + 100);
      const Matrix output = drawn(3, 5, 0, seed + 200);
      const HeadSmoothing found = smoothing_of(x, values, output);
      const Exact m = centred(product(exactly(values), exactly(output)));
      const Rational s = mean_product(centred(exactly(x)), m);
      const Rational t = mean_product(m, m);
      check_holds(found.s, s);
      check_holds(found.t, t);
      check_holds(found.sum, s + t);
      CHECK(found.s.error < (about < 2 ? 1e-11 : 1e-2));
      const SmoothingCase exact_case = s >= 0      ? SmoothingCase::kIncreases
                                       : s + t < 0 ? SmoothingCase::kDecreases
                                                   : SmoothingCase::kTurns;
      if (found.which() != SmoothingCase::kOpen) CHECK(found.which() == exact_case);
      if (about == 0) CHECK(found.which() == exact_case);
    }
  }
}

TEST_CASE("What rounding does not decide is open") {
  // x = -m, so that s + t = 0.
  Matrix x = drawn(6, 4, 3, 1);
  Matrix values = x;
  for (double& entry : values.values) entry = -entry;
  Matrix identity;
  identity.resize(4, 4);
  for (std::size_t i = 0; i < 4; ++i) identity.row(i)[i] = 1;
  CHECK(smoothing_of(x, values, identity).which() == SmoothingCase::kOpen);
  CHECK(smoothing_of(x, x, identity).which() == SmoothingCase::kIncreases);
  for (double& entry : values.values) entry /= 2;
  CHECK(smoothing_of(x, values, identity).which() == SmoothingCase::kDecreases);
  for (double& entry : values.values) entry *= 4;
  CHECK(smoothing_of(x, values, identity).which() == SmoothingCase::kTurns);
}

}  // namespace sinkproof::estimate
