#include "estimate/smoothing_readouts.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "estimate/attention_shape.hpp"
#include "estimate/cosines.hpp"
#include "estimate/normalise.hpp"

namespace sinkproof::estimate {
namespace {

Readouts empty_smoothing(const language::Config& config, std::size_t length) {
  const std::size_t layers = config.layers;
  Readouts readouts;
  const auto add = [&](const std::string& name, std::vector<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    readouts[name] = {std::move(shape), std::vector<double>(size)};
  };
  for (const char* name : {"mean-cosine", "predicted-cosine"}) add(name, {layers + 1});
  add("first-cosine", {layers + 1, length});
  for (const char* name : {"normed-cosine", "normed-predicted"}) add(name, {layers});
  for (const char* component : kComponents) {
    for (const char* end : {"-measured", "-predicted"}) {
      add(std::string(component) + end, {layers, config.heads});
    }
  }
  for (const char* name :
       {"s", "s-error", "s-plus-t", "s-plus-t-error", "case-a", "case-b", "case-d", "first-weight",
        "own-weight", "uniformity", "attention-rank", "output-rank"}) {
    add(name, {layers, config.heads});
  }
  return readouts;
}

[[noreturn]] void not_finite(std::size_t layer, const char* name) {
  throw exact::Error{"SP0405", "layer " + std::to_string(layer) + ", " + name,
                     "has a weight that is a NaN or an infinity"};
}

// The mean over queries 2 .. T of the weight on key 1, or on the query's own.
double mean_weight(const Rows& weights, bool own) {
  double sum = 0;
  for (std::size_t i = 1; i < weights.rows; ++i) sum += weights.row(i)[own ? i : 0];
  return sum / static_cast<double>(weights.rows - 1);
}

}  // namespace

SmoothingReader::SmoothingReader(const language::Model& model, std::size_t runs, std::size_t length)
    : model_(model), length_(length), readouts_(runs, empty_smoothing(model.config, length)) {}

void SmoothingReader::enter(std::size_t layer, const Rows& rows) {
  const language::Config& config = model_.config;
  inputs_.resize(rows.rows, rows.columns);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::copy_n(rows.row(i), rows.columns, inputs_.row(i));
  }
  if (!widened(model_.layers[layer].output, output_)) not_finite(layer, "attention output");
  uniform_ = uniform_weights(length_, config.windows[layer].value_or(0),
                             config.architecture->bidirectional);
  uniform_square_ = square_of(uniform_.view());
}

void SmoothingReader::hidden(std::size_t layer, const Rows& rows) {
  const bool is_input = layer < model_.layers.size();
  if (is_input) enter(layer, rows);
  Matrix normed;
  if (is_input && !attention_inputs(model_, layer, rows, normed)) {
    not_finite(layer, "attention norm");
  }
  for (std::size_t r = 0; r < readouts_.size(); ++r) {
    Readouts& to = readouts_[r];
    const Rows mine = rows.from(r * length_, length_);
    to["mean-cosine"].values[layer] = mean_cosine(mine);
    to["predicted-cosine"].values[layer] = predicted_cosine(spread_of(mine));
    const std::vector<double> first = cosines_with_first(mine);
    std::copy(first.begin(), first.end(),
              to["first-cosine"].values.begin() + static_cast<std::ptrdiff_t>(layer * length_));
    if (!is_input) continue;
    const Rows z = normed.view().from(r * length_, length_);
    to["normed-cosine"].values[layer] = mean_cosine(z);
    to["normed-predicted"].values[layer] = predicted_cosine(spread_of(z));
  }
}

void SmoothingReader::head(const HeadRows& head) {
  const std::size_t width = model_.config.head_width;
  const HeadSmoothing found =
      head_smoothing(inputs_.view().from(head.run * length_, length_), head,
                     output_.view().from(head.head * width, width), uniform_, uniform_square_);
  Readouts& to = readouts_[head.run];
  const std::size_t at = head.layer * model_.config.heads + head.head;
  const auto set = [&](const std::string& name, double value) { to[name].values[at] = value; };
  for (std::size_t c = 0; c < kComponents.size(); ++c) {
    const std::string name = kComponents[c];
    set(name + "-measured", found.components[c].measured);
    set(name + "-predicted", found.components[c].predicted);
  }
  set("s", found.s.value);
  set("s-error", found.s.error);
  set("s-plus-t", found.sum.value);
  set("s-plus-t-error", found.sum.error);
  set("case-a", found.which() == SmoothingCase::kIncreases ? 1 : 0);
  set("case-b", found.which() == SmoothingCase::kDecreases ? 1 : 0);
  set("case-d", found.which() == SmoothingCase::kTurns ? 1 : 0);
  set("first-weight", mean_weight(head.weights, false));
  set("own-weight", mean_weight(head.weights, true));
  set("uniformity", uniformity(head.weights, uniform_.view()));
  set("attention-rank", static_cast<double>(rank_holding(head.weights, kRankShare)));
  set("output-rank", static_cast<double>(rank_holding(head.outputs, kRankShare)));
}

exact::Result<std::vector<Readouts>> smoothing_readouts(
    const language::Model& model, std::span<const Run> runs, unsigned threads,
    const std::function<void(double share)>& progress,
    const std::function<void(const HeadRows&)>& also) {
  SmoothingReader reader(model, runs.size(), runs.front().tokens.size());
  Observer observer;
  observer.hidden = [&](std::size_t layer, const Rows& rows) { reader.hidden(layer, rows); };
  observer.head = [&](const HeadRows& head) {
    reader.head(head);
    if (also) also(head);
  };
  observer.progress = progress;
  if (auto done = pass(model, runs, observer, threads); !done) return tl::unexpected(done.error());
  return reader.readouts();
}

}  // namespace sinkproof::estimate
