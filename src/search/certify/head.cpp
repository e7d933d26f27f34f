#include "certify/head.hpp"

#include <cmath>

namespace sinkproof::certify {
namespace {

exact::Matrix<double> estimates(const exact::RationalMatrix& exact_matrix) {
  exact::Matrix<double> result(exact_matrix.rows(), exact_matrix.columns());
  for (std::size_t i = 0; i < result.rows(); ++i) {
    for (std::size_t j = 0; j < result.columns(); ++j) {
      result(i, j) = estimate(exact_matrix(i, j));
    }
  }
  return result;
}

bool has_cut_off_entry(const exact::Matrix<double>& estimated) {
  for (std::size_t i = 0; i < estimated.rows(); ++i) {
    for (std::size_t j = 0; j < estimated.columns(); ++j) {
      if (std::fabs(estimated(i, j)) >= kLargestEstimate) return true;
    }
  }
  return false;
}

}  // namespace

bool is_beyond_estimates(const Head& head) {
  return has_cut_off_entry(head.logit_float) || has_cut_off_entry(head.value_float) ||
         has_cut_off_entry(head.token_float);
}

Head make_head(const check::Head& exact, const certificate::Box& box) {
  Head head;
  head.width = exact.width;
  head.noise = exact.noise;
  head.length = exact.length;
  head.box = box;
  head.logit_float = estimates(exact.logit);
  head.value_float = estimates(exact.value);
  head.token_float = estimates(exact.token);
  head.coupling = std::make_shared<Coupling>(head.logit_float);
  return head;
}

}  // namespace sinkproof::certify
