#include "certify/head.hpp"

#include <utility>

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

Head make_head(exact::RationalMatrix logit, exact::RationalMatrix value, std::size_t length) {
  Head head;
  head.width = logit.rows();
  head.noise = head.width - 3;
  head.length = length;
  head.logit = std::move(logit);
  head.value = std::move(value);
  head.logit_float = estimates(head.logit);
  head.value_float = estimates(head.value);
  return head;
}

}  // namespace sinkproof::certify
