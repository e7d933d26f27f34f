#include "estimate/double_rows.hpp"

#include <cblas.h>

#include <algorithm>

#include "forward/each.hpp"

namespace sinkproof::estimate {
namespace {

// scale a_i . b_k of all these rows.
void products(double scale, const Rows& a, const Rows& b, double* to, std::size_t stride) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(a.rows),
              static_cast<blasint>(b.rows), static_cast<blasint>(a.columns), scale, a.data,
              static_cast<blasint>(a.stride), b.data, static_cast<blasint>(b.stride), 0, to,
              static_cast<blasint>(stride));
}

}  // namespace

void DoubleRows::each(std::size_t count, const std::function<void(std::size_t)>& work) const {
  forward::in_turn(count, work);
}

void DoubleRows::clear(Matrix& rows, std::size_t count, std::size_t columns) const {
  rows.resize(count, columns);
  std::fill(rows.values.begin(), rows.values.end(), 0);
}

Rows DoubleRows::part(const Matrix& rows, std::size_t begin, std::size_t length, std::size_t column,
                      std::size_t width) const {
  return {rows.row(begin) + column, length, width, rows.columns};
}

// Logits of all queries and keys, seen or not; those of the first `kept` keys are of the queries in
// the cache.
void DoubleRows::multiply(const Part& queries, const Part& keys, std::size_t kept,
                          const std::optional<Part>& cached) {
  weights_.resize(queries.rows, keys.rows);
  products(scale_, queries, keys, weights_.row(0), weights_.columns);
  const std::size_t first = std::min(kept, keys.rows);
  if (cached && first > 0) {
    products(scale_, *cached, keys.from(0, first), weights_.row(0), weights_.columns);
  }
}

DoubleRows::RowWeights DoubleRows::weigh_row(std::size_t i, const std::vector<std::size_t>& seen,
                                             double sink) {
  double* const row = weights_.row(i);
  logits_.clear();
  for (const std::size_t k : seen) logits_.push_back(row[k]);
  const double null = estimate::weigh(kind_, sink, logits_);
  std::fill_n(row, weights_.columns, 0);
  for (std::size_t n = 0; n < seen.size(); ++n) row[seen[n]] = logits_[n];
  return {{row, weights_.columns}, null};
}

Rows DoubleRows::mix_rows(const Part& values, double* to, std::size_t stride) const {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(values.rows),
              static_cast<blasint>(values.columns), static_cast<blasint>(values.rows), 1,
              weights_.row(0), static_cast<blasint>(weights_.columns), values.data,
              static_cast<blasint>(values.stride), 0, to, static_cast<blasint>(stride));
  return {to, values.rows, values.columns, stride};
}

void DoubleRows::gate(std::size_t head, std::size_t width, const forward::Sequence& one,
                      const Matrix& gates, Matrix& mixed) {
  for (std::size_t i = one.begin; i < one.begin + one.length; ++i) {
    cblas_dscal(static_cast<blasint>(width), logistic(gates.row(i)[head]),
                mixed.row(i) + head * width, 1);
  }
}

}  // namespace sinkproof::estimate
