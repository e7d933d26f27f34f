// The kinds of attention that can be trained: the map of variants of docs/THEORY.md, tc-8. A row's
// weights are kernel(logit) over a scale; a gated head's output row is multiplied by a gate.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinkproof::train {

enum class Attention {
  kSoftmax,
  kRelu,
  kSigmoidNormalised,
  kElu1Normalised,
  kSoftmaxNull,
  kSoftmaxGated,
  kSigmoid,
  kElu1,
  kLinear
};

// kExp: e^s. kLogistic: 1/(1 + e^-s). kElu1: elu(s) + 1 = s + 1 for s >= 0, e^s below. kRelu:
// max(s, 0). kLinear: s.
enum class Kernel { kExp, kLogistic, kElu1, kRelu, kLinear };

// What the kernel's values are divided by: their sum over the visible keys; that sum and the 1 of a
// null slot (logit 0, value 0; only with kExp); or max(1, i - 1) in row i, positions from 1.
enum class Scale { kSum, kSumAndNull, kPosition };

struct AttentionRule {
  Kernel kernel = Kernel::kExp;
  Scale scale = Scale::kSum;
  bool gated = false;  // times sigma(W_G x_i + b_G), one gate a head
};

AttentionRule attention_rule(Attention attention);

// The name in a checkpoint's metadata and on the command line.
std::string attention_name(Attention attention);
std::optional<Attention> attention_named(std::string_view name);
std::vector<Attention> every_attention();

}  // namespace sinkproof::train
