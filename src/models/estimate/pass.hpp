// The forward pass of a language model (forward/body.hpp) in doubles: estimates, fast. One layer's
// weights are in memory at a time (of a mapped file a panel of them as doubles), every run's rows
// go through them together, and a caller that wants more than the rows between two layers is shown
// it and keeps what it likes.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "estimate/model_doubles.hpp"
#include "estimate/rows.hpp"
#include "exact/error.hpp"
#include "language/model_pass.hpp"

namespace sinkproof::estimate {

// A sequence as the model reads it, with what is taken away from its heads, if anything is.
using Run = language::Run<std::size_t>;

// What one head did in one run of T tokens, as Rows: its weights [T, T], before a gate; its
// queries, keys, values and outputs [T, head width].
using HeadRows = forward::HeadRows<ModelDoubles>;

// Each may be empty; what is shown lasts as long as the call. "All rows" are those of the first
// run, below them those of the second, and so on.
struct Observer {
  // h^l of all rows: the input of layer l, or for l = D what the last layer put out.
  std::function<void(std::size_t layer, const Rows& hidden)> hidden;
  std::function<void(const HeadRows&)> head;
  // Logits of all rows for vocabulary entries first .. first + columns - 1; never of an encoder.
  // Without this they are not computed.
  std::function<void(std::size_t first, const Rows& logits)> logits;
  std::function<void(double share)> progress;
};

// The most tokens of one run: their weights in one head are then half a gigabyte.
inline constexpr std::size_t kMostLength = 8192;

// `threads` are OpenBLAS's. SP0405: a weight is NaN or infinite (layer and map are named). SP2105:
// a row between layers or a logit is beyond 1e150, or a NaN. Preconditions: tokens are
// within the vocabulary, runs of 1 to kMostLength tokens and no longer than learned positions, a
// window of at least 1, an ablation names a head there is.
exact::Result<void> pass(const language::Model& model, std::span<const Run> runs,
                         const Observer& observer, unsigned threads);

}  // namespace sinkproof::estimate
