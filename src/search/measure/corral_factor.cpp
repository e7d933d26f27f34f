#include "measure/corral_factor.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace sinkproof::measure {

CorralFactor::CorralFactor(double scale) : shift_(scale > 0 ? scale : 1) {}

bool CorralFactor::append(const std::vector<double>& products, double square) {
  const std::size_t n = rows_.size();
  std::vector<double> row(n + 1);
  double left = square + shift_;
  for (std::size_t i = 0; i < n; ++i) {
    const double known = std::inner_product(
        row.begin(), row.begin() + static_cast<std::ptrdiff_t>(i), rows_[i].begin(), 0.0);
    row[i] = (products[i] + shift_ - known) / rows_[i][i];
    left -= row[i] * row[i];
  }
  constexpr double kRounding = 1e-14;
  if (!(left > kRounding * (square + shift_))) return false;
  row[n] = std::sqrt(left);
  rows_.push_back(std::move(row));
  return true;
}

void CorralFactor::remove(std::size_t index) {
  rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(index));
  // Row i >= index is one entry too long: rotate columns i and i + 1 so that it ends at i.
  for (std::size_t i = index; i < rows_.size(); ++i) {
    const double a = rows_[i][i];
    const double b = rows_[i][i + 1];
    const double length = std::hypot(a, b);
    const double cosine = a / length;
    const double sine = b / length;
    for (std::size_t k = i; k < rows_.size(); ++k) {
      const double left = rows_[k][i];
      const double right = rows_[k][i + 1];
      rows_[k][i] = cosine * left + sine * right;
      rows_[k][i + 1] = cosine * right - sine * left;
    }
    rows_[i].resize(i + 1);
  }
}

std::vector<double> CorralFactor::solve(const std::vector<double>& right) const {
  const std::size_t n = rows_.size();
  std::vector<double> solution(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double known = std::inner_product(
        solution.begin(), solution.begin() + static_cast<std::ptrdiff_t>(i), rows_[i].begin(), 0.0);
    solution[i] = (right[i] - known) / rows_[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    solution[i] /= rows_[i][i];
    for (std::size_t k = 0; k < i; ++k) solution[k] -= solution[i] * rows_[i][k];
  }
  return solution;
}

std::vector<double> CorralFactor::affine_weights() const {
  std::vector<double> weights = solve(std::vector<double>(rows_.size(), 1.0));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace sinkproof::measure
