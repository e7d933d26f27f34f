#include "estimate/head_smoothing.hpp"

#include <cblas.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "estimate/cosines.hpp"
#include "estimate/products.hpp"

namespace sinkproof::estimate {
namespace {

using Vector = std::vector<double>;

blasint blas(std::size_t size) { return static_cast<blasint>(size); }

// a b, or a b^T.
Matrix times(const Rows& a, const Rows& b, bool transposed = false) {
  Matrix product;
  product.resize(a.rows, transposed ? b.rows : b.columns);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, blas(a.rows),
              blas(product.columns), blas(a.columns), 1, a.data, blas(a.stride), b.data,
              blas(b.stride), 0, product.values.data(), blas(product.columns));
  return product;
}

Matrix magnitudes(const Rows& rows) {
  Matrix all;
  all.resize(rows.rows, rows.columns);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t c = 0; c < rows.columns; ++c) all.row(i)[c] = std::abs(rows.row(i)[c]);
  }
  return all;
}

Matrix sum(const Rows& rows, Matrix others) {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    cblas_daxpy(blas(rows.columns), 1, rows.row(i), 1, others.row(i), 1);
  }
  return others;
}

// The mean of each column.
Vector column_means(const Rows& rows) {
  Vector mean(rows.columns, 0);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    cblas_daxpy(blas(mean.size()), 1, rows.row(i), 1, mean.data(), 1);
  }
  for (double& entry : mean) entry /= static_cast<double>(rows.rows);
  return mean;
}

Matrix centred(const Rows& rows, const Vector& mean) {
  Matrix away;
  away.resize(rows.rows, rows.columns);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t c = 0; c < rows.columns; ++c) away.row(i)[c] = rows.row(i)[c] - mean[c];
  }
  return away;
}

double product(const Vector& a, const Vector& b) { return dot(a.data(), b.data(), a.size()); }

// (1/T) sum_i a_i . b_i of rows without gaps.
double mean_product(const Matrix& a, const Matrix& b) {
  return product(a.values, b.values) / static_cast<double>(a.rows);
}

double rounding(std::size_t operations) {
  const double nu = static_cast<double>(operations) * std::numeric_limits<double>::epsilon() / 2;
  return nu / (1 - nu);
}

// Sizes of the errors of rows against exact ones: of the entries, and of the mean that was taken
// away from them.
struct Doubt {
  Matrix entries;  // magnitudes, [T, n]
  Vector mean;     // [n]
};

// s, t and s + t of centred rows with bounds. Errors of entries enter to first and second order,
// that of the means to second order alone: centred rows sum to 0.
struct Signs {
  Rounded s, t, sum;
};

Signs signs(const Matrix& x, const Matrix& m, const Vector& x_doubt, const Doubt& m_doubt) {
  // A product of sums in any order, with the rounding of centring both rows and of dividing by T.
  const double g = rounding(x.values.size() + 8);
  const Matrix size_x = magnitudes(x.view());
  const Matrix size_m = magnitudes(m.view());
  Signs found;
  found.s.value = mean_product(x, m);
  found.t.value = mean_product(m, m);
  found.sum.value = found.s.value + found.t.value;
  // Twice, for the rounding of the bounds themselves.
  found.s.error = 2 * (g * mean_product(size_x, size_m) + mean_product(size_x, m_doubt.entries) +
                       product(x_doubt, m_doubt.mean));
  found.t.error =
      2 * (g * mean_product(size_m, size_m) + 2 * mean_product(size_m, m_doubt.entries) +
           mean_product(m_doubt.entries, m_doubt.entries) + product(m_doubt.mean, m_doubt.mean));
  found.sum.error = found.s.error + found.t.error + rounding(1) * std::abs(found.sum.value);
  return found;
}

// Bounds on the error of a computed mean of exact rows.
Vector mean_doubt(const Rows& rows) {
  Vector doubt = column_means(magnitudes(rows).view());
  for (double& entry : doubt) entry *= rounding(rows.rows + 1);
  return doubt;
}

// Of m_i = W_O v_i, computed as `moved`.
Doubt doubt_of(const HeadRows& head, const Rows& output, const Matrix& moved) {
  Doubt doubt{times(magnitudes(head.values).view(), magnitudes(output).view()), {}};
  for (double& entry : doubt.entries.values) entry *= rounding(output.rows);
  doubt.mean = mean_doubt(moved.view());
  const Vector of_entries = column_means(doubt.entries.view());
  for (std::size_t c = 0; c < doubt.mean.size(); ++c) doubt.mean[c] += of_entries[c];
  return doubt;
}

// The numbers that E_il is made of.
struct Statistics {
  double xx = 0, xm = 0, mm = 0, b = 0, s = 0, t = 0;
};

// P where it is not the identity.
struct Mixing {
  const Rows* weights = nullptr;
  const Matrix* square = nullptr;  // P P^T

  [[nodiscard]] double at(std::size_t i, std::size_t l) const {
    if (weights == nullptr) return i == l ? 1 : 0;
    return weights->row(i)[l];
  }
  [[nodiscard]] double squared(std::size_t i, std::size_t l) const {
    if (square == nullptr) return i == l ? 1 : 0;
    return square->row(i)[l];
  }
  [[nodiscard]] Vector row_sums(std::size_t length) const {
    Vector sums(length, 1);
    for (std::size_t i = 0; weights != nullptr && i < length; ++i) {
      sums[i] = 0;
      for (std::size_t l = 0; l < length; ++l) sums[i] += weights->row(i)[l];
    }
    return sums;
  }
};

double predicted(const Statistics& of, bool with_input, const Mixing& mixing, std::size_t length) {
  const double e = with_input ? 1 : 0;
  const Vector r = mixing.row_sums(length);
  const auto expected = [&](std::size_t i, std::size_t l) {
    return e * of.xx + e * (r[i] + r[l]) * of.xm + r[i] * r[l] * of.mm + (i == l ? e * of.b : 0) +
           e * (mixing.at(i, l) + mixing.at(l, i)) * of.s + mixing.squared(i, l) * of.t;
  };
  Vector lengths(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double square = expected(i, i);
    lengths[i] = square > 0 ? std::sqrt(square) : 0;
  }
  double sum = 0;
  for (std::size_t l = 1; l < length; ++l) {
    for (std::size_t i = 0; i < l; ++i) {
      if (lengths[i] > 0 && lengths[l] > 0) sum += expected(i, l) / (lengths[i] * lengths[l]);
    }
  }
  return 2 * sum / (static_cast<double>(length) * static_cast<double>(length - 1));
}

}  // namespace

SmoothingCase HeadSmoothing::which() const {
  if (!t.positive()) return SmoothingCase::kOpen;
  if (s.not_negative()) return SmoothingCase::kIncreases;
  if (sum.negative()) return SmoothingCase::kDecreases;
  if (s.negative() && sum.positive()) return SmoothingCase::kTurns;
  return SmoothingCase::kOpen;
}

Matrix uniform_weights(std::size_t length, std::size_t window, bool bidirectional) {
  Matrix uniform;
  uniform.resize(length, length);
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t last = bidirectional ? length : i + 1;
    const std::size_t first = window == 0 || window > i ? 0 : i + 1 - window;
    for (std::size_t k = 0; k < length; ++k) {
      uniform.row(i)[k] = k >= first && k < last ? 1 / static_cast<double>(last - first) : 0;
    }
  }
  return uniform;
}

Matrix square_of(const Rows& weights) { return times(weights, weights, true); }

HeadSmoothing head_smoothing(const Rows& inputs, const HeadRows& head, const Rows& output,
                             const Matrix& uniform, const Matrix& uniform_square) {
  const Matrix moved = times(head.values, output);
  const Vector input_mean = column_means(inputs);
  const Vector moved_mean = column_means(moved.view());
  const Matrix x = centred(inputs, input_mean);
  const Matrix m = centred(moved.view(), moved_mean);
  const Signs found = signs(x, m, mean_doubt(inputs), doubt_of(head, output, moved));
  const Statistics moments{product(input_mean, input_mean),
                           product(input_mean, moved_mean),
                           product(moved_mean, moved_mean),
                           mean_product(x, x),
                           found.s.value,
                           found.t.value};
  const Matrix square = square_of(head.weights);
  const Rows uniform_rows = uniform.view();
  const Mixing none;
  const Mixing attention{&head.weights, &square};
  const Mixing even{&uniform_rows, &uniform_square};
  HeadSmoothing result{found.s, found.t, found.sum, {}};
  const auto set = [&](std::size_t component, const Matrix& rows, bool with_input,
                       const Mixing& mixing) {
    result.components[component] = {mean_cosine(rows.view()),
                                    predicted(moments, with_input, mixing, inputs.rows)};
  };
  const Matrix attended = times(head.weights, moved.view());
  set(0, moved, false, none);
  set(1, sum(inputs, moved), true, none);
  set(2, attended, false, attention);
  set(3, sum(inputs, attended), true, attention);
  set(4, sum(inputs, times(uniform_rows, moved.view())), true, even);
  return result;
}

}  // namespace sinkproof::estimate
