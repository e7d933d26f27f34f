// The attention of a model on random sequences of the task whose trigger is where one wants it:
// mean and standard deviation of each weight, and the weights on one sequence. The weights are
// middles of what the rigorous pass (forward/) encloses; what is made of them here are doubles:
// estimates, which say nothing about other sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::reproduce {

// What is drawn: the noise is train/'s with `seed`, at a step no training reaches.
struct Draw {
  std::size_t sequences = 1000;
  std::size_t trigger = 8;  // its position, from 1
  std::uint64_t seed = 0;

  bool operator==(const Draw&) const = default;
};

// Row i has the weights on keys 1..i.
using CausalMap = std::vector<std::vector<double>>;

// A mean and the standard deviation of what it is the mean of.
struct Moments {
  double mean = 0;
  double deviation = 0;
};

// Something of the rows before the trigger (from the second on), of the trigger's, and of those
// after it.
template <typename T>
struct ByRows {
  T before{};
  T trigger{};
  T after{};
};

struct HeadSample {
  CausalMap mean;
  CausalMap deviation;
  CausalMap first;      // of the first sequence
  ByRows<Moments> bos;  // average of the weights on BOS over these rows; 0 where there are none
  Moments alpha;        // the same over all rows (docs/THEORY.md, em-1)
};

struct AttentionSample {
  Draw draw;
  std::string sha256;                          // of the model
  std::vector<std::vector<HeadSample>> heads;  // [layers][heads]
};

// Nothing of it depends on `jobs`, the number of threads; `finished` as measure::side_by_side says.
// SP1511: a number of the forward pass is too large. Precondition: 1 <= draw.sequences < 2^32,
// 3 <= draw.trigger <= model.length, length and d_model within train::Options' limits.
exact::Result<AttentionSample> sample_attention(
    const model::AttentionModel& model, const Draw& draw, unsigned jobs,
    const std::function<void(std::size_t)>& finished = {});

}  // namespace sinkproof::reproduce
