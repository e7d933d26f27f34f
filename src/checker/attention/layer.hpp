// The one attention layer that bounds over a box are about, in matrices for unit tokens: biases,
// the scale of logits and the box folded in. CHECKPOINT_RULES.md, 4.2.
#pragma once

#include <vector>

#include "attention/head.hpp"
#include "forward/model.hpp"

namespace sinkproof::check {

struct Gate {
  exact::RationalMatrix weight;  // [1, n]
  exact::Rational bias;
};

struct Layer {
  certificate::AttentionKind kind;
  std::vector<Head> heads;                           // M_h, V_h; at least one
  std::vector<Gate> gates;                           // one for each head if gated, else none
  std::vector<exact::Rational> constant;             // o, n
  std::vector<certificate::HeadRanges> ranges = {};  // shown by 4.9, where a rule is about them

  [[nodiscard]] std::size_t width() const { return heads.front().width; }
  [[nodiscard]] std::size_t noise() const { return heads.front().noise; }
  [[nodiscard]] std::size_t length() const { return heads.front().length; }
};

// Precondition: one block, no residual, width >= 4.
Layer one_layer(const forward::Model& model, std::size_t length, const certificate::Box& box);

}  // namespace sinkproof::check
