#include "estimate/dense.hpp"

#include <cblas.h>

#include <algorithm>

#include "estimate/widen.hpp"

namespace sinkproof::estimate {
namespace {

using language::Map;

// Doubles of weights in one panel: 1 MiB, so that the product finds in cache what was widened.
constexpr std::size_t kPanelWeights = std::size_t{1} << 17U;
constexpr std::size_t kLeastOutputs = 64;

std::size_t outputs_of_panel(const Map& map) {
  return std::min(map.out, std::max(kLeastOutputs, kPanelWeights / map.in / 16 * 16));
}

// Calls visit(o, count) for the outputs in [first, last) that lie side by side in the tensor.
template <typename Visit>
bool for_each_run(const Map& map, std::size_t first, std::size_t last, Visit visit) {
  for (std::size_t o = first; o < last;) {
    const std::size_t count = std::min(last - o, map.group - o % map.group);
    if (!visit(o, count)) return false;
    o += count;
  }
  return true;
}

// Weights of outputs [first, last): [last - first, in], or [in, last - first] where in_first.
bool widen_weights(const Map& map, std::size_t first, std::size_t last, std::vector<double>& to) {
  const std::size_t outputs = last - first;
  to.resize(std::max(to.size(), outputs * map.in));
  return for_each_run(map, first, last, [&](std::size_t o, std::size_t count) {
    if (!map.in_first) {
      return widen(*map.weight, map.index(o, 0), count * map.in, to.data() + (o - first) * map.in);
    }
    bool finite = true;
    for (std::size_t i = 0; i < map.in; ++i) {
      double* const row = to.data() + i * outputs + (o - first);
      finite = widen(*map.weight, map.index(o, i), count, row) && finite;
    }
    return finite;
  });
}

bool widen_bias(const Map& map, std::vector<double>& to) {
  to.assign(map.out, 0);
  if (map.bias == nullptr) return true;
  return for_each_run(map, 0, map.out, [&](std::size_t o, std::size_t count) {
    return widen(*map.bias, map.source(o), count, to.data() + o);
  });
}

// Outputs [first, last) of all rows to or onto y, whose rows are `stride` doubles apart.
// Precondition: panel.bias is the map's.
bool apply_panel(const Map& map, std::size_t first, std::size_t last, const Rows& x, bool add,
                 double* y, std::size_t stride, Panel& panel) {
  if (!widen_weights(map, first, last, panel.weights)) return false;
  for (std::size_t r = 0; r < x.rows; ++r) {
    double* const row = y + r * stride;
    for (std::size_t o = first; o < last; ++o) {
      row[o - first] = (add ? row[o - first] : 0) + panel.bias[o];
    }
  }
  const auto outputs = static_cast<blasint>(last - first);
  const auto in = static_cast<blasint>(map.in);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, map.in_first ? CblasNoTrans : CblasTrans,
              static_cast<blasint>(x.rows), outputs, in, 1, x.data, static_cast<blasint>(x.stride),
              panel.weights.data(), map.in_first ? outputs : in, 1, y,
              static_cast<blasint>(stride));
  return true;
}

}  // namespace

bool apply(const Map& map, const Rows& x, bool add, Matrix& y, Panel& panel) {
  if (!add) y.resize(x.rows, map.out);
  if (!widen_bias(map, panel.bias)) return false;
  const std::size_t step = outputs_of_panel(map);
  for (std::size_t first = 0; first < map.out; first += step) {
    const std::size_t last = std::min(map.out, first + step);
    if (!apply_panel(map, first, last, x, add, y.values.data() + first, map.out, panel)) {
      return false;
    }
  }
  return true;
}

bool apply_by_panels(const Map& map, const Rows& x, Panel& panel,
                     const std::function<void(std::size_t first, const Rows& outputs)>& visit) {
  if (!widen_bias(map, panel.bias)) return false;
  Matrix outputs;
  const std::size_t step = outputs_of_panel(map);
  for (std::size_t first = 0; first < map.out; first += step) {
    const std::size_t last = std::min(map.out, first + step);
    outputs.resize(x.rows, last - first);
    if (!apply_panel(map, first, last, x, false, outputs.values.data(), last - first, panel)) {
      return false;
    }
    visit(first, outputs.view());
  }
  return true;
}

bool widened(const Map& map, Matrix& to) {
  to.resize(map.in, map.out);
  if (map.in_first) return widen_weights(map, 0, map.out, to.values);
  std::vector<double> rows;  // [out, in]
  if (!widen_weights(map, 0, map.out, rows)) return false;
  for (std::size_t o = 0; o < map.out; ++o) {
    for (std::size_t i = 0; i < map.in; ++i) to.row(i)[o] = rows[o * map.in + i];
  }
  return true;
}

}  // namespace sinkproof::estimate
