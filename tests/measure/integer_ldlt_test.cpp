#include "measure/integer_ldlt.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "model/ldlt.hpp"

using sinkproof::exact::Integer;
using sinkproof::exact::Matrix;
using sinkproof::exact::Rational;
using sinkproof::exact::RationalMatrix;
using sinkproof::measure::is_positive_semidefinite;

namespace {

// B B^T of a random n x rank matrix, one diagonal entry lowered by `lowered`.
Matrix<Integer> gram(std::mt19937& random, std::size_t n, std::size_t rank, int lowered) {
  std::uniform_int_distribution<int> entry(-3, 3);
  Matrix<Integer> b(n, rank);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < rank; ++j) b(i, j) = entry(random);
  }
  Matrix<Integer> a = b * transpose(b);
  a(n / 2, n / 2) -= lowered;
  return a;
}

}  // namespace

TEST_CASE("The integer decision is that of the rational factorisation") {
  std::mt19937 random(7);
  int positive = 0;
  int negative = 0;
  for (int sample = 0; sample < 200; ++sample) {
    const std::size_t n = 1 + static_cast<std::size_t>(sample % 7);
    const std::size_t rank = 1 + static_cast<std::size_t>(sample % 5);
    const Matrix<Integer> a = gram(random, n, rank, sample % 3);
    RationalMatrix same(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) same(i, j) = Rational(a(i, j));
    }
    const bool expected = sinkproof::model::decide_psd(same).factors.has_value();
    CHECK(is_positive_semidefinite(a) == expected);
    (expected ? positive : negative) += 1;
  }
  CHECK(positive > 30);
  CHECK(negative > 30);
}

TEST_CASE("A zero pivot needs a zero column below it") {
  CHECK(is_positive_semidefinite({2, 2, {0, 0, 0, 5}}));
  CHECK_FALSE(is_positive_semidefinite({2, 2, {0, 1, 1, 5}}));
  CHECK_FALSE(is_positive_semidefinite({1, 1, {-1}}));
  // After a zero pivot the elimination goes on with the pivot before it.
  CHECK(is_positive_semidefinite({3, 3, {2, 0, 1, 0, 0, 0, 1, 0, 1}}));
  CHECK_FALSE(is_positive_semidefinite({3, 3, {2, 0, 2, 0, 0, 0, 2, 0, 1}}));
}
