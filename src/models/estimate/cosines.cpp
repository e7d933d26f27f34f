#include "estimate/cosines.hpp"

#include "estimate/products.hpp"

namespace sinkproof::estimate {

double mean_cosine(const Rows& rows) {
  if (rows.rows < 2) return 0;
  // The cosines of all pairs: half of what the square of the sum of directions has beyond theirs.
  std::vector<double> sum(rows.columns, 0);
  double squares = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double length = norm(rows.row(i), rows.columns);
    if (length == 0) continue;
    cblas_daxpy(static_cast<blasint>(sum.size()), 1 / length, rows.row(i), 1, sum.data(), 1);
    squares += 1;
  }
  const auto count = static_cast<double>(rows.rows);
  return (dot(sum.data(), sum.data(), sum.size()) - squares) / (count * (count - 1));
}

std::vector<double> cosines_with_first(const Rows& rows) {
  std::vector<double> cosines(rows.rows, 0);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double lengths = norm(rows.row(0), rows.columns) * norm(rows.row(i), rows.columns);
    if (lengths > 0) cosines[i] = dot(rows.row(0), rows.row(i), rows.columns) / lengths;
  }
  return cosines;
}

Spread spread_of(const Rows& rows) {
  Spread spread{std::vector<double>(rows.columns, 0), 0};
  const auto count = static_cast<double>(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t c = 0; c < rows.columns; ++c) spread.mean[c] += rows.row(i)[c] / count;
  }
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t c = 0; c < rows.columns; ++c) {
      const double away = rows.row(i)[c] - spread.mean[c];
      spread.around += away * away / count;
    }
  }
  return spread;
}

double predicted_cosine(const Spread& spread) {
  const double square = dot(spread.mean.data(), spread.mean.data(), spread.mean.size());
  return square == 0 ? 0 : square / (square + spread.around);
}

}  // namespace sinkproof::estimate
