// The kinds of attention: how the logits of a row become its weights. CHECKPOINT_RULES.md, 4.2;
// claim tc-8. The one table of them; what trains, certifies, measures, checks or prints asks here.
#pragma once

#include <string>
#include <string_view>

namespace sinkproof::certificate {

enum class Attention {
  kSoftmax,
  kSigmoidNormalised,
  kElu1Normalised,
  kSoftmaxNull,
  kSoftmaxSink,
  kSoftmaxGated,
  kRelu,
  kSigmoid,
  kElu1,
  kLinear,
};

// exp x; 1/(1 + exp(-x)); x + 1 for x >= 0 and exp x below; max(0, x); x.
enum class Kernel { kExp, kSigmoid, kElu1, kRelu, kLinear };

struct AttentionKind {
  Attention attention;
  std::string_view name;
  Kernel kernel;
  bool normalised;         // weights are kernels over their sum; else over max(1, i-1)
  bool null_slot = false;  // one more kernel in the sum, of value 0
  bool gated = false;      // a head's output is multiplied by a logistic function of its token
  bool sinks = false;      // the null slot's logit is a weight of the head; without, it is 0

  // Multiplying a row's kernels (the null slot's too) by one number changes no weight, and adding
  // to its logits does so.
  [[nodiscard]] bool is_relative() const { return kernel == Kernel::kExp; }
  [[nodiscard]] bool is_signed() const { return kernel == Kernel::kLinear; }
  // A row's weights on its keys sum to one, and nothing scales the output.
  [[nodiscard]] bool averages() const { return normalised && !null_slot && !gated; }
  // Rule `moments` is about stacks of it.
  [[nodiscard]] bool has_moments() const { return is_relative() ? averages() : !normalised; }
};

inline constexpr AttentionKind kAttentionKinds[] = {
    {Attention::kSoftmax, "softmax", Kernel::kExp, true},
    {Attention::kSigmoidNormalised, "sigmoid-normalised", Kernel::kSigmoid, true},
    {Attention::kElu1Normalised, "elu1-normalised", Kernel::kElu1, true},
    {Attention::kSoftmaxNull, "softmax-null", Kernel::kExp, true, true},
    {Attention::kSoftmaxSink, "softmax-sink", Kernel::kExp, true, true, false, true},
    {Attention::kSoftmaxGated, "softmax-gated", Kernel::kExp, true, false, true},
    {Attention::kRelu, "relu", Kernel::kRelu, false},
    {Attention::kSigmoid, "sigmoid", Kernel::kSigmoid, false},
    {Attention::kElu1, "elu1", Kernel::kElu1, false},
    {Attention::kLinear, "linear", Kernel::kLinear, false}};

constexpr const AttentionKind& kind_of(Attention attention) {
  return kAttentionKinds[static_cast<int>(attention)];
}

inline std::string to_string(Attention attention) { return std::string(kind_of(attention).name); }

// Null for a name the format does not know.
constexpr const AttentionKind* find_attention(std::string_view name) {
  for (const AttentionKind& kind : kAttentionKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace sinkproof::certificate
