#include "measure/map_file.hpp"

#include "measure/dense.hpp"
#include "measure/exact_scores.hpp"
#include "output/safetensors.hpp"
#include "rounded/double.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::measure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using exact::Rational;

DyadicMatrix exact_matrix(const MatrixXd& matrix) {
  std::vector<Rational> values;
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) values.push_back(rounded::from_double(matrix(i, j)));
  }
  return dyadic_matrix(static_cast<std::size_t>(matrix.rows()),
                       static_cast<std::size_t>(matrix.cols()), values);
}

DyadicMatrix transposed(const DyadicMatrix& a) { return {transpose(a.entries), a.scale}; }

// x^T W_Q^T W_K y for all tokens.
DyadicMatrix factored_scores(const DyadicMatrix& tokens, const MatrixXd& query,
                             const MatrixXd& key) {
  return times_transpose(times_transpose(tokens, exact_matrix(query)),
                         times_transpose(tokens, exact_matrix(key)));
}

// x^T W y.
DyadicMatrix scores(const DyadicMatrix& tokens, const MatrixXd& map) {
  return times_transpose(times_transpose(tokens, transposed(exact_matrix(map))), tokens);
}

Rational squared_norm(const MatrixXd& matrix) {
  const DyadicMatrix exact = exact_matrix(matrix);
  return Rational(trace_product(exact.entries, exact.entries)) *
         exact::power_of_two(-2 * static_cast<long>(exact.scale));
}

safetensors::Tensor tensor_of(const MatrixXd& matrix) {
  std::vector<double> values;
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) values.push_back(matrix(i, j));
  }
  return output::float64_tensor(
      {static_cast<std::uint64_t>(matrix.rows()), static_cast<std::uint64_t>(matrix.cols())},
      values);
}

constexpr double kRooms[] = {1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2};

}  // namespace

exact::Result<SavedMap> save_map(const std::string& path, const DyadicMatrix& tokens,
                                 const MarginSystem& system, const MatrixXd& query,
                                 const MatrixXd& key) {
  std::optional<MatrixXd> factor;
  std::optional<MatrixXd> whole;
  for (const double room : kRooms) {
    const MatrixXd stretched = (1 + room) * query;
    if (!factor && least_margin(system, factored_scores(tokens, stretched, key)) >= system.margin) {
      factor = stretched;
    }
    const MatrixXd map = product(stretched.transpose(), key);
    if (!whole && least_margin(system, scores(tokens, map)) >= system.margin) whole = map;
    if (factor && whole) break;
  }
  if (!factor || !whole) {
    return exact::fail("SP1615", path,
                       "cannot be written, because doubles are too coarse for these margins; scale "
                       "the embeddings, or leave --save-w out");
  }
  safetensors::Contents contents;
  contents.tensors["W_Q.weight"] = tensor_of(*factor);
  contents.tensors["W_K.weight"] = tensor_of(key);
  contents.tensors["W"] = tensor_of(*whole);
  const auto written = output::write(path, contents);
  if (!written) return tl::unexpected(written.error());
  return SavedMap{path, squared_norm(*factor) + squared_norm(key)};
}

}  // namespace sinkproof::measure
