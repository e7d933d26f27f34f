// One attention layer of the trigger task: as the checker's rules see it, and as doubles for the
// search.
#pragma once

#include <vector>

#include "attention/layer.hpp"
#include "certify/head.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::certify {

// The factor logistic(weight . x + bias) on a head's output at query x.
struct Gate {
  std::vector<double> weight_float;  // n
  double bias_float = 0;
};

struct Layer {
  model::Attention attention = model::Attention::kSoftmax;
  std::vector<Head> heads;             // at least one
  std::vector<Gate> gates;             // one for each head if gated, else none
  std::vector<double> constant_float;  // added to every output
  check::Layer exact;                  // without ranges

  [[nodiscard]] std::size_t width() const { return heads.front().width; }
  [[nodiscard]] std::size_t noise() const { return heads.front().noise; }
  [[nodiscard]] std::size_t length() const { return heads.front().length; }
  [[nodiscard]] const certificate::AttentionKind& kind() const {
    return certificate::kind_of(attention);
  }
  // Its logit is 0 here: a learned one is taken from all logits of the head.
  [[nodiscard]] bool has_null_slot() const { return kind().null_slot; }
  [[nodiscard]] bool is_gated() const { return kind().gated; }
  // The softmax kinds: multiplying all kernels of a row by one number changes nothing.
  [[nodiscard]] bool is_relative() const { return kind().is_relative(); }
  // And those without a kernel that is fixed.
  [[nodiscard]] bool has_only_ratios() const { return is_relative() && !has_null_slot(); }
  // What CHECKPOINT_RULES.md, 4.15, is about.
  [[nodiscard]] bool is_separable_head() const {
    return heads.size() == 1 && !model::is_normalised(attention);
  }
};

// Precondition: one layer, no residual (certify.hpp checks).
Layer make_layer(const model::AttentionModel& model);

}  // namespace sinkproof::certify
