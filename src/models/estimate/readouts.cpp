#include "estimate/readouts.hpp"

#include <algorithm>
#include <cmath>

#include "estimate/cosines.hpp"
#include "estimate/products.hpp"

namespace sinkproof::estimate {
namespace {

std::vector<double> norms(const Rows& rows, double scale = 1) {
  std::vector<double> each(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) each[i] = norm(rows.row(i), rows.columns) / scale;
  return each;
}

double ratio(double over, double under) { return over == 0 ? 0 : over / under; }

// The entries of an array at its first indices.
double* entries(Array& array, std::size_t first, std::size_t second) {
  std::size_t size = 1;
  for (std::size_t d = 2; d < array.shape.size(); ++d) size *= array.shape[d];
  return array.values.data() + (first * array.shape[1] + second) * size;
}

// What is read off the queries `first` .. T - 1 of a head about key `position`, both from 0.
struct OfQueries {
  const HeadRows& head;
  std::size_t first;
  std::size_t position;
  double scale;                     // sqrt(w)
  std::vector<double> query_norms;  // over `scale`
  std::vector<double> key_norms, value_norms;

  // The mean over the queries of what `of` says of each.
  template <typename Function>
  [[nodiscard]] double mean(Function of) const {
    double sum = 0;
    for (std::size_t i = first; i < head.weights.rows; ++i) sum += of(i);
    return sum / static_cast<double>(head.weights.rows - first);
  }

  [[nodiscard]] double alpha() const {
    return mean([&](std::size_t i) { return head.weights.row(i)[position]; });
  }

  [[nodiscard]] double value_alpha() const {
    return mean([&](std::size_t i) {
      double all = 0;
      for (std::size_t j = 0; j < value_norms.size(); ++j) {
        all += std::abs(head.weights.row(i)[j]) * value_norms[j];
      }
      return ratio(std::abs(head.weights.row(i)[position]) * value_norms[position], all);
    });
  }

  [[nodiscard]] double norm_product() const {
    return mean([&](std::size_t i) { return query_norms[i] * key_norms[position]; });
  }

  [[nodiscard]] double cosine() const {
    return mean([&](std::size_t i) {
      const double product = dot(head.queries.row(i), head.keys.row(position), head.keys.columns);
      return ratio(product / scale, query_norms[i] * key_norms[position]);
    });
  }

  [[nodiscard]] double value_ratio() const {
    double others = 0;
    for (std::size_t j = 0; j < value_norms.size(); ++j) {
      if (j != position) others += value_norms[j];
    }
    return ratio(value_norms[position] * static_cast<double>(value_norms.size() - 1), others);
  }

  [[nodiscard]] double broadcast_share() const {
    double along = 0;
    double all = 0;
    const double* const value = head.values.row(position);
    for (std::size_t i = first; i < head.outputs.rows; ++i) {
      const double* const output = head.outputs.row(i);
      along += std::pow(dot(output, value, head.values.columns), 2);
      all += dot(output, output, head.values.columns);
    }
    return ratio(along, std::pow(value_norms[position], 2) * all);
  }
};

}  // namespace

Readouts empty_readouts(const language::Config& config, std::size_t length) {
  const std::size_t layers = config.layers;
  Readouts readouts;
  const auto add = [&](const char* name, std::vector<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    readouts[name] = {std::move(shape), std::vector<double>(size)};
  };
  for (const char* name :
       {"alpha", "value-alpha", "norm-product", "cosine", "value-ratio", "broadcast-share"}) {
    add(name, {layers, config.heads});
  }
  add("hidden-norm", {layers + 1, length});
  add("mean-cosine", {layers + 1});
  add("query-norm", {layers, config.heads, length});
  add("key-norm", {layers, config.key_heads, length});
  add("value-norm", {layers, config.key_heads, length});
  return readouts;
}

void read_hidden(std::size_t layer, const Rows& hidden, Readouts& readouts) {
  const std::vector<double> each = norms(hidden);
  std::copy(each.begin(), each.end(), entries(readouts["hidden-norm"], layer, 0));
  readouts["mean-cosine"].values[layer] = mean_cosine(hidden);
}

void read_head(const language::Config& config, const HeadRows& head, std::size_t position,
               Readouts& readouts) {
  const std::size_t key = position - 1;
  const double scale = std::sqrt(static_cast<double>(head.queries.columns));
  const OfQueries of{head,
                     config.architecture->bidirectional ? 0 : key,
                     key,
                     scale,
                     norms(head.queries, scale),
                     norms(head.keys),
                     norms(head.values)};
  const auto set = [&](const char* name, double value) {
    *entries(readouts[name], head.layer, head.head) = value;
  };
  set("alpha", of.alpha());
  set("value-alpha", of.value_alpha());
  set("norm-product", of.norm_product());
  set("cosine", of.cosine());
  set("value-ratio", of.value_ratio());
  set("broadcast-share", of.broadcast_share());
  const auto copy = [&](const char* name, const std::vector<double>& each, std::size_t at) {
    std::copy(each.begin(), each.end(), entries(readouts[name], head.layer, at));
  };
  const std::size_t key_head = head.head / (config.heads / config.key_heads);
  copy("query-norm", of.query_norms, head.head);
  copy("key-norm", of.key_norms, key_head);
  copy("value-norm", of.value_norms, key_head);
}

std::vector<double> alphas(const language::Config& config, const HeadRows& head) {
  const std::size_t length = head.weights.rows;
  std::vector<double> sums(length);
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t seen = config.architecture->bidirectional ? length : i + 1;
    for (std::size_t k = 0; k < seen; ++k) sums[k] += head.weights.row(i)[k];
  }
  for (std::size_t k = 0; k < length; ++k) {
    sums[k] /= static_cast<double>(config.architecture->bidirectional ? length : length - k);
  }
  return sums;
}

double furthest_row(const Rows& rows, const Rows& others) {
  double most = 0;
  std::vector<double> difference(rows.columns);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t c = 0; c < rows.columns; ++c) {
      difference[c] = rows.row(i)[c] - others.row(i)[c];
    }
    most = std::max(most, norm(difference.data(), difference.size()));
  }
  return most;
}

double furthest_coordinate(const Rows& rows, const Rows& others) {
  double most = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t c = 0; c < rows.columns; ++c) {
      most = std::max(most, std::abs(rows.row(i)[c] - others.row(i)[c]));
    }
  }
  return most;
}

}  // namespace sinkproof::estimate
