// What doubles do in any pass: the Numbers of forward/body.hpp but for maps and what only language
// models have. Logits and outputs are matrix products of OpenBLAS.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "certificate/attention.hpp"
#include "estimate/attention_weights.hpp"
#include "estimate/rows.hpp"
#include "forward/body.hpp"

namespace sinkproof::estimate {

class DoubleRows {
 public:
  using Rows = Matrix;
  using Part = estimate::Rows;
  struct RowWeights {
    std::span<const double> keys;
    double null = 0;
  };
  using Weights = estimate::Rows;
  using Outputs = estimate::Rows;

  // `scale` is that of logits.
  DoubleRows(const certificate::AttentionKind& kind, double scale) : kind_(kind), scale_(scale) {}

  void each(std::size_t count, const std::function<void(std::size_t)>& work) const;
  void clear(Matrix& rows, std::size_t count, std::size_t columns) const;
  void fit(const Matrix&) const {}
  [[nodiscard]] Part part(const Matrix& rows, std::size_t begin, std::size_t length,
                          std::size_t column, std::size_t width) const;

  template <typename HeadRows>
  void begin(const HeadRows& rows, std::size_t kept, const std::optional<Part>& cached) {
    multiply(rows.queries, rows.keys, kept, cached);
  }
  template <typename HeadRows>
  RowWeights weigh(const HeadRows&, std::size_t i, const std::vector<std::size_t>& seen,
                   std::size_t, const std::optional<Part>&, double sink) {
    return weigh_row(i, seen, sink);
  }
  template <typename HeadRows>
  void mix(const HeadRows&, std::size_t, const RowWeights&) const {}
  template <typename HeadRows>
  void finish(HeadRows& rows, const forward::Sequence& one, Matrix& mixed) const {
    rows.weights = weights_.view();
    rows.outputs = mix_rows(rows.values, mixed.row(one.begin) + rows.head * rows.values.columns,
                            mixed.columns);
  }
  template <typename HeadRows>
  void place(const HeadRows& rows, const forward::Sequence& one, const Matrix* gates,
             Matrix& mixed) const {
    if (gates != nullptr) gate(rows.head, rows.values.columns, one, *gates, mixed);
  }

 private:
  void multiply(const Part& queries, const Part& keys, std::size_t kept,
                const std::optional<Part>& cached);
  RowWeights weigh_row(std::size_t i, const std::vector<std::size_t>& seen, double sink);
  Part mix_rows(const Part& values, double* to, std::size_t stride) const;
  static void gate(std::size_t head, std::size_t width, const forward::Sequence& one,
                   const Matrix& gates, Matrix& mixed);

  const certificate::AttentionKind& kind_;
  double scale_;
  Matrix weights_;              // of one head, [query, key]
  std::vector<double> logits_;  // of one query on the keys it sees
};

}  // namespace sinkproof::estimate
