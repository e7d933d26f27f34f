#include "train/attention.hpp"

#include <array>

namespace sinkproof::train {
namespace {

struct Entry {
  Attention attention;
  const char* name;
  AttentionRule rule;
};

constexpr std::array<Entry, 9> kEntries = {{
    {Attention::kSoftmax, "softmax", {Kernel::kExp, Scale::kSum, false}},
    {Attention::kRelu, "relu", {Kernel::kRelu, Scale::kPosition, false}},
    {Attention::kSigmoidNormalised, "sigmoid-normalised", {Kernel::kLogistic, Scale::kSum, false}},
    {Attention::kElu1Normalised, "elu1-normalised", {Kernel::kElu1, Scale::kSum, false}},
    {Attention::kSoftmaxNull, "softmax-null", {Kernel::kExp, Scale::kSumAndNull, false}},
    {Attention::kSoftmaxGated, "softmax-gated", {Kernel::kExp, Scale::kSum, true}},
    {Attention::kSigmoid, "sigmoid", {Kernel::kLogistic, Scale::kPosition, false}},
    {Attention::kElu1, "elu1", {Kernel::kElu1, Scale::kPosition, false}},
    {Attention::kLinear, "linear", {Kernel::kLinear, Scale::kPosition, false}},
}};

const Entry& entry(Attention attention) {
  for (const Entry& candidate : kEntries) {
    if (candidate.attention == attention) return candidate;
  }
  return kEntries.front();  // not reached: the table names every kind
}

}  // namespace

AttentionRule attention_rule(Attention attention) { return entry(attention).rule; }

std::string attention_name(Attention attention) { return entry(attention).name; }

std::optional<Attention> attention_named(std::string_view name) {
  for (const Entry& candidate : kEntries) {
    if (name == candidate.name) return candidate.attention;
  }
  return std::nullopt;
}

std::vector<Attention> every_attention() {
  std::vector<Attention> all;
  all.reserve(kEntries.size());
  for (const Entry& candidate : kEntries) all.push_back(candidate.attention);
  return all;
}

}  // namespace sinkproof::train
