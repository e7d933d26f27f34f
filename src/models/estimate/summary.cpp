#include "estimate/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rounded/double.hpp"

namespace sinkproof::estimate {
namespace {

Array zeros(const std::vector<std::size_t>& shape) {
  const std::size_t size =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  return {shape, std::vector<double>(size)};
}

// A double is above `number` exactly where it is above this.
double rounded_down(const exact::Rational& number) {
  const double nearest = rounded::to_double_estimate(number);
  return rounded::from_double(nearest) <= number
             ? nearest
             : std::nextafter(nearest, -std::numeric_limits<double>::infinity());
}

}  // namespace

void Moments::add(const Array& array) {
  if (count_ == 0) squares_ = mean_ = zeros(array.shape);
  ++count_;
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const double before = array.values[i] - mean_.values[i];
    mean_.values[i] += before / static_cast<double>(count_);
    squares_.values[i] += before * (array.values[i] - mean_.values[i]);
  }
}

Array Moments::standard_error() const {
  Array error = squares_;
  const auto count = static_cast<double>(count_);
  for (double& square : error.values) {
    square = count_ > 1 ? std::sqrt(square / (count - 1) / count)
                        : std::numeric_limits<double>::quiet_NaN();
  }
  return error;
}

std::size_t judged_positions(const language::Config& config, std::size_t shortest) {
  if (shortest < kFewestQueries) return 0;
  return config.architecture->bidirectional ? shortest : shortest - kFewestQueries + 1;
}

Share Summary::share(const std::string& figure) const {
  const std::vector<std::size_t>& each = above.at(figure);
  return {std::accumulate(each.begin(), each.end(), std::size_t{0}),
          extent.sequences * each.size()};
}

Summing::Summing(const language::Config& config, const Extent& extent, std::size_t interventions,
                 const exact::Rational& epsilon)
    : epsilon_(rounded_down(epsilon)) {
  const std::size_t length = extent.longest;
  sums_.extent = extent;
  for (const char* figure : {"alpha", "value-alpha"}) {
    sums_.above[figure].resize(config.layers * config.heads);
  }
  for (const char* norm : {"query-norm", "key-norm", "value-norm"}) {
    sums_.norms[norm] = zeros({config.layers, length});
  }
  sums_.norms["hidden-norm"] = sums_.largest_hidden_norm = zeros({config.layers + 1, length});
  sums_.reached.resize(length);
  sums_.shares.resize(judged_positions(config, extent.shortest));
  sums_.moved.resize(interventions);
  sums_.most_moved.resize(interventions);
}

void Summing::add_alphas(const std::vector<double>& each) {
  for (std::size_t k = 0; k < sums_.shares.size(); ++k) {
    sums_.shares[k].above += each[k] > epsilon_ ? 1 : 0;
    ++sums_.shares[k].total;
  }
}

// The mean over heads of an array [D, heads, T] or [D, T].
void Summing::add_norms(const std::string& name, const Array& array) {
  Array& sum = sums_.norms[name];
  const std::size_t length = array.shape.back();
  const std::size_t heads = array.shape.size() == 3 ? array.shape[1] : 1;
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const std::size_t layer = i / length / heads;
    sum.values[layer * sum.shape.back() + i % length] +=
        array.values[i] / static_cast<double>(heads);
  }
}

void Summing::add(const Readouts& readouts, const std::vector<Array>& moved) {
  for (const auto& [name, array] : readouts) {
    if (sums_.norms.contains(name)) {
      add_norms(name, array);
    } else {
      sums_.figures[name].add(array);
    }
  }
  for (auto& [figure, counts] : sums_.above) {
    const std::vector<double>& values = readouts.at(figure).values;
    for (std::size_t i = 0; i < values.size(); ++i) counts[i] += values[i] > epsilon_ ? 1 : 0;
  }
  const Array& hidden = readouts.at("hidden-norm");
  const std::size_t length = hidden.shape.back();
  for (std::size_t i = 0; i < hidden.values.size(); ++i) {
    double& most = sums_.largest_hidden_norm.values[i / length * sums_.extent.longest + i % length];
    most = std::max(most, hidden.values[i]);
  }
  for (std::size_t k = 0; k < length; ++k) ++sums_.reached[k];
  for (std::size_t v = 0; v < moved.size(); ++v) {
    sums_.moved[v].add(moved[v]);
    Array& most = sums_.most_moved[v];
    if (most.values.empty()) most = zeros(moved[v].shape);
    std::transform(most.values.begin(), most.values.end(), moved[v].values.begin(),
                   most.values.begin(), [](double a, double b) { return std::max(a, b); });
  }
}

void Summing::add_losses(const Array& losses) {
  if (std::isnan(losses.values.front())) return;
  sums_.losses.add(losses);
  Array changes{{losses.values.size() - 1}, {}};
  for (std::size_t v = 1; v < losses.values.size(); ++v) {
    changes.values.push_back(losses.values[v] - losses.values.front());
  }
  sums_.loss_changes.add(changes);
}

Summary Summing::summary() const {
  Summary summary = sums_;
  for (auto& [name, sum] : summary.norms) {
    for (std::size_t i = 0; i < sum.values.size(); ++i) {
      sum.values[i] /= static_cast<double>(summary.reached[i % summary.extent.longest]);
    }
  }
  return summary;
}

}  // namespace sinkproof::estimate
