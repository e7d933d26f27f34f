// Rows of doubles: what the pass computes with, and how it shows what it computed.
#pragma once

#include <cstddef>
#include <vector>

namespace sinkproof::estimate {

// Somebody else's rows, each of `columns` doubles, `stride` doubles apart.
struct Rows {
  const double* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;

  [[nodiscard]] const double* row(std::size_t i) const { return data + i * stride; }
  // `count` of them, from `first` on.
  [[nodiscard]] Rows from(std::size_t first, std::size_t count) const {
    return {row(first), count, columns, stride};
  }
};

// Rows of its own, one directly after the other.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;

  // What it held is lost; memory it has is used again.
  void resize(std::size_t new_rows, std::size_t new_columns) {
    rows = new_rows;
    columns = new_columns;
    values.resize(rows * columns);
  }
  [[nodiscard]] double* row(std::size_t i) { return values.data() + i * columns; }
  [[nodiscard]] const double* row(std::size_t i) const { return values.data() + i * columns; }
  [[nodiscard]] Rows view() const { return {values.data(), rows, columns, columns}; }
};

}  // namespace sinkproof::estimate
