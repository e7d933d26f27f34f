#include "estimate/pass.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace sinkproof::estimate {
namespace {

using exact::Error;

// Sums of squares of such values are doubles.
constexpr double kMostValue = 1e150;

void check(const std::string& what, const Rows& rows) {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t c = 0; c < rows.columns; ++c) {
      if (!(std::abs(rows.row(i)[c]) <= kMostValue)) {
        throw Error{"SP2105", what,
                    "row " + std::to_string(i) +
                        " has a value beyond 1e150 or a NaN; the weights there are out of any "
                        "useful range"};
      }
    }
  }
}

std::size_t longest(std::span<const Run> runs) {
  std::size_t most = 0;
  for (const Run& run : runs) most = std::max(most, run.tokens.size());
  return most;
}

void run(const language::Model& model, std::span<const Run> runs, const Observer& observer) {
  const std::size_t layers = model.layers.size();
  const auto report = [&](std::size_t done) {
    const auto all = static_cast<double>(layers + 1);
    if (observer.progress && done > 0) observer.progress(static_cast<double>(done) / all);
  };
  forward::Observer<ModelDoubles> inner;
  inner.head = observer.head;
  inner.hidden = [&](std::size_t layer, const Matrix& rows) {
    report(layer);
    check(
        layer == layers ? "the last layer's output" : "the input of layer " + std::to_string(layer),
        rows.view());
    if (observer.hidden) observer.hidden(layer, rows.view());
  };
  ModelDoubles numbers(model.config, longest(runs));
  language::ModelPass<ModelDoubles> pass(numbers, model);
  Matrix rows = pass.hidden(runs, inner);
  numbers.leave();
  if (model.head && observer.logits) {
    rows = pass.output(std::move(rows));
    numbers.logits(*model.head, rows, [&](std::size_t first, const Rows& logits) {
      check("logits from entry " + std::to_string(first), logits);
      observer.logits(first, logits);
    });
  }
  report(layers + 1);
}

}  // namespace

exact::Result<void> pass(const language::Model& model, std::span<const Run> runs,
                         const Observer& observer, unsigned threads) {
  openblas_set_num_threads(static_cast<int>(threads));
  try {
    run(model, runs, observer);
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
  return {};
}

}  // namespace sinkproof::estimate
