// Dense matrices over Q (or any ring type), row-major. Shapes are preconditions: the folders that
// read files check them at the border.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "exact/whole.hpp"

namespace sinkproof::exact {

template <typename T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), entries_(rows * columns) {}
  // Precondition: entries.size() == rows * columns.
  Matrix(std::size_t rows, std::size_t columns, std::vector<T> entries)
      : rows_(rows), columns_(columns), entries_(std::move(entries)) {}

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  T& operator()(std::size_t row, std::size_t column) { return entries_[row * columns_ + column]; }
  const T& operator()(std::size_t row, std::size_t column) const {
    return entries_[row * columns_ + column];
  }
  // All entries, row after row.
  std::vector<T>& values() { return entries_; }
  [[nodiscard]] const std::vector<T>& values() const { return entries_; }
  bool operator==(const Matrix& other) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<T> entries_;
};

// a (p x q) times b (q x r).
template <typename T>
Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> product(a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.columns(); ++k) {
      if (a(i, k) == 0) continue;
      for (std::size_t j = 0; j < b.columns(); ++j) add_product(product(i, j), a(i, k), b(k, j));
    }
  }
  return product;
}

template <typename T>
Matrix<T> transpose(const Matrix<T>& a) {
  Matrix<T> result(a.columns(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

// `count` rows of a, from row `first` on.
template <typename T>
Matrix<T> rows(const Matrix<T>& a, std::size_t first, std::size_t count) {
  const auto begin = a.values().begin() + static_cast<std::ptrdiff_t>(first * a.columns());
  const auto end = begin + static_cast<std::ptrdiff_t>(count * a.columns());
  return {count, a.columns(), std::vector<T>(begin, end)};
}

using RationalMatrix = Matrix<Rational>;

// A rational matrix as integers over one denominator > 0: sums and products of many entries without
// a gcd at every step.
struct ScaledMatrix {
  Matrix<Integer> entries;
  Integer denominator = 1;

  [[nodiscard]] std::size_t rows() const { return entries.rows(); }
  [[nodiscard]] std::size_t columns() const { return entries.columns(); }
};
inline ScaledMatrix transpose(const ScaledMatrix& a) {
  return {transpose(a.entries), a.denominator};
}

}  // namespace sinkproof::exact
