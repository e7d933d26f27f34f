#include "certify/head.hpp"

namespace sinkproof::certify {
namespace {

exact::Matrix<double> estimates(const exact::RationalMatrix& exact_matrix) {
  exact::Matrix<double> result(exact_matrix.rows(), exact_matrix.columns());
  for (std::size_t i = 0; i < result.rows(); ++i) {
    for (std::size_t j = 0; j < result.columns(); ++j) {
      result(i, j) = exact::to_double_estimate(exact_matrix(i, j));
    }
  }
  return result;
}

}  // namespace

Head make_head(const model::AttentionModel& model) {
  const model::Layer& layer = model.layers.front();
  Head head;
  head.width = model.d_model;
  head.noise = model.d_model - 3;
  head.length = model.length;
  head.logit = exact::transpose(layer.query) * layer.key;
  head.value = layer.output * layer.value;
  head.logit_float = estimates(head.logit);
  head.value_float = estimates(head.value);
  return head;
}

}  // namespace sinkproof::certify
