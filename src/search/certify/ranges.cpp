#include "certify/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "certificate/sha256.hpp"
#include "certify/kernel.hpp"
#include "certify/logit_forms.hpp"
#include "rounded/decimal.hpp"
#include "write/write.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using exact::Result;

constexpr unsigned kLogitDigits = 16;
constexpr unsigned kKernelDigits = 15;
constexpr unsigned kPrecision = 192;

// The key whose logit is subtracted from all of a row: of BOS and content tokens the one that the
// query attends to more, so that what is left of the others is small.
std::size_t reference_of(const Head& head, std::size_t query) {
  const std::size_t content = head.content_flag();
  return head.logit_float(query, kBosFlag) > head.logit_float(query, content) ? kBosFlag : content;
}

// factor * (logit of the class, less the row's reference), at its largest over the key's noise.
ExactForm logit_form(const Layer& layer, const Head& head, std::size_t query, Key key,
                     const Rational& factor) {
  ExactForm form(head.noise);
  if (key != kNullSlot) add_base(form, head, query, head.flag_of(key), factor);
  if (layer.is_relative()) add_base(form, head, query, reference_of(head, query), -factor);
  if (key == kNullSlot || key == kBosKey) return form;
  if (query == kTriggerFlag && key == kTriggerKey) {
    add_self(form, head, query, factor);
  } else {
    add_query_norm(form, head, query);
  }
  return form;
}

std::vector<double> estimates(const std::vector<Rational>& entries) {
  std::vector<double> result(entries.size());
  std::transform(entries.begin(), entries.end(), result.begin(), estimate);
  return result;
}

// Rounded once, after the reference is subtracted: logits far from 0 may be close to each other.
SignForm estimates(const ExactForm& form) {
  SignForm result(form.dimension());
  result.constant = estimate(form.constant);
  result.linear = estimates(form.linear);
  result.cross = estimates(form.cross);
  result.offset = estimates(form.offset);
  result.rows = estimates(form.rows);
  result.own = estimate(form.own);
  result.keys = form.keys;
  result.scales = estimates(form.scales);
  result.coupling = form.coupling;
  return result;
}

struct Bound {
  Rational value;
  std::string tree;
};

// An upper bound on factor * logit.
Bound bound_logit(const Layer& layer, const Head& head, std::size_t query, Key key, int factor,
                  std::span<const std::size_t> order, const Effort& effort) {
  const ExactForm form = logit_form(layer, head, query, key, factor);
  const Rational root = root_bound(form);
  if (root == form.constant) return {root, "0"};                     // no noise moves it
  const bool is_affine = form.cross.empty() && form.offset.empty();  // its root is its maximum
  if (!effort.roots_only && !is_affine) {
    Maximum maximum = maximise(estimates(form), order, effort.margin, effort.nodes);
    const auto value = exact_value(maximum.value);
    if (value && std::fabs(maximum.value) > kLeastEstimate) {
      return {rounded::round_up_decimal(*value, kLogitDigits), std::move(maximum.tree)};
    }
  }
  return {rounded::round_up_decimal(root, kLogitDigits), "0"};
}

// Room for the checker's own rounding of exp, which is coarser than the intervals here.
Rational checker_slack() { return exact::power_of_two(-80); }

template <typename Enclose>
Range enclose(const Rational& low, const Rational& high, const Enclose& kernel) {
  const Rational least = kernel(low).lower * (1 - checker_slack());
  const Rational greatest = kernel(high).upper * (1 + checker_slack());
  return {rounded::round_down_decimal(least, kKernelDigits),
          rounded::round_up_decimal(greatest, kKernelDigits)};
}

Range kernel_range(const Layer& layer, const Rational& low, const Rational& high) {
  using model::Attention;
  const Attention kind = layer.attention;
  if (kind == Attention::kLinear) return {low, high};
  if (kind == Attention::kRelu) return {exact::max(0, low), exact::max(0, high)};
  return enclose(low, high,
                 [&](const Rational& logit) { return kernel_enclosure(kind, logit, kPrecision); });
}

// Whether the checker has the kernel's bounds for logits between these.
bool is_within_exp(const Layer& layer, const Rational& low, const Rational& high) {
  using model::Attention;
  const Attention kind = layer.attention;
  if (kind == Attention::kSigmoid || kind == Attention::kSigmoidNormalised) {
    return low >= -kMostExpArgument;
  }
  return !layer.is_relative() || high <= kMostExpArgument;
}

// Between which numbers a logit lies.
struct Logits {
  Rational low;
  Rational high;
};

Logits gate_logits(const Gate& gate, std::size_t flag, std::size_t noise) {
  Rational swing = 0;
  for (std::size_t k = 0; flag != kBosFlag && k < noise; ++k) {
    swing += exact::abs(gate.weight[kFirstNoise + k]);
  }
  const Rational middle = gate.bias + gate.weight[flag];
  return {middle - swing, middle + swing};
}

Range gate_range(const Gate& gate, std::size_t flag, std::size_t noise) {
  const Logits logits = gate_logits(gate, flag, noise);
  return enclose(logits.low, logits.high,
                 [](const Rational& logit) { return logistic_enclosure(logit, kPrecision); });
}

Range stated(const Range& range, const Effort& effort) {
  return {stated_below(range.least, effort.places), stated_above(range.greatest, effort.places)};
}

certificate::Interval stated(const Range& range) { return {range.least, range.greatest}; }

certificate::KernelClass stated(const ClassRange& range) {
  return {range.logits.least, range.logits.greatest, {range.least, range.greatest}};
}

certificate::QueryRanges stated(const Layer& layer, const Head& head, const QueryRanges& ranges,
                                std::size_t query) {
  certificate::QueryRanges result;
  result.bos = stated(ranges.keys[kBosKey]);
  result.content = stated(ranges.keys[kContentKey]);
  result.trigger = stated(ranges.keys[kTriggerKey]);
  if (layer.has_null_slot()) result.null = stated(ranges.keys[kNullSlot]);
  result.bos_reference = reference_of(head, query) == kBosFlag;
  result.gate = stated(ranges.gate);
  return result;
}

certificate::HeadRanges stated(const Layer& layer, const Head& head, const HeadRanges& ranges) {
  return {stated(layer, head, ranges.content, head.content_flag()),
          stated(layer, head, ranges.trigger, kTriggerFlag), stated(ranges.first),
          stated(ranges.first_gate)};
}

// Ranges of one head, and their trees.
class HeadSearch {
 public:
  HeadSearch(const Layer& layer, std::size_t h, std::span<const std::size_t> order,
             const Effort& effort)
      : layer_(layer), h_(h), order_(order), effort_(effort) {}

  Result<HeadRanges> run() {
    const Head& head = layer_.heads[h_];
    const std::size_t content = head.content_flag();
    HeadRanges ranges;
    ranges.content = find_query(content);
    ranges.trigger = find_query(kTriggerFlag);
    if (layer_.has_null_slot()) {  // the null classes' trees come last
      ranges.content.keys[kNullSlot] = find(content, kNullSlot);
      ranges.trigger.keys[kNullSlot] = find(kTriggerFlag, kNullSlot);
    }
    const Rational first = layer_.has_only_ratios() ? Rational(0) : head.logit(kBosFlag, kBosFlag);
    check(first, first);
    if (layer_.is_gated()) check_gates();
    if (too_large_) {
      return exact::fail("SP1403", "head " + std::to_string(h_),
                         "its logits reach beyond 4000; the checker's exp ends at 4096");
    }
    ranges.first = stated(kernel_range(layer_, first, first), effort_);
    if (layer_.is_gated()) find_gates(ranges);
    return ranges;
  }

  [[nodiscard]] const std::vector<std::string>& trees() const { return trees_; }

 private:
  void check(const Rational& low, const Rational& high) {
    too_large_ = too_large_ || !is_within_exp(layer_, low, high);
  }

  QueryRanges find_query(std::size_t query) {
    QueryRanges ranges;
    ranges.keys[kBosKey] = find(query, kBosKey);
    ranges.keys[kContentKey] = find(query, kContentKey);
    ranges.keys[kTriggerKey] = find(query, kTriggerKey);
    return ranges;
  }

  void check_gates() {
    for (const std::size_t flag : {kBosFlag, kTriggerFlag, layer_.width() - 1}) {
      too_large_ =
          too_large_ || gate_logits(layer_.gates[h_], flag, layer_.noise()).low < -kMostExpArgument;
    }
  }

  ClassRange find(std::size_t query, Key key) {
    const Head& head = layer_.heads[h_];
    Bound high = bound_logit(layer_, head, query, key, 1, order_, effort_);
    Bound low = bound_logit(layer_, head, query, key, -1, order_, effort_);
    const Range logits = stated({-low.value, high.value}, effort_);
    check(logits.least, logits.greatest);
    if (too_large_) return {};
    Range range = stated(kernel_range(layer_, logits.least, logits.greatest), effort_);
    trees_.push_back(std::move(high.tree));
    trees_.push_back(std::move(low.tree));
    return {std::move(range), logits};
  }

  void find_gates(HeadRanges& ranges) {
    const Gate& gate = layer_.gates[h_];
    ranges.first_gate = stated(gate_range(gate, kBosFlag, layer_.noise()), effort_);
    ranges.trigger.gate = stated(gate_range(gate, kTriggerFlag, layer_.noise()), effort_);
    ranges.content.gate = stated(gate_range(gate, layer_.width() - 1, layer_.noise()), effort_);
  }

  const Layer& layer_;
  std::size_t h_;
  std::span<const std::size_t> order_;
  const Effort& effort_;
  std::vector<std::string> trees_;
  bool too_large_ = false;
};

std::vector<std::size_t> common_order(const Layer& layer) {
  std::vector<SignForm> forms;
  for (const Head& head : layer.heads) {
    for (const std::size_t query : {kTriggerFlag, head.content_flag()}) {
      forms.push_back(estimates(logit_form(layer, head, query, kContentKey, 1)));
    }
  }
  return influence_order(forms);
}

// What a description of ranges needs to know of the certificate they are part of.
certificate::Checkpoint around(const Layer& layer) {
  certificate::Checkpoint whole;
  whole.model.attention = layer.attention;
  whole.model.d_model = layer.width();
  whole.model.num_heads = layer.heads.size();
  return whole;
}

}  // namespace

std::string digest(const Layer& layer, const LayerRanges& ranges) {
  return certificate::sha256_hex(json::canonical(write::written(ranges.stated, around(layer))));
}

Result<LayerRanges> find_ranges(const Layer& layer, const Effort& effort) {
  const std::vector<std::size_t> order = common_order(layer);
  LayerRanges ranges;
  std::vector<std::string> trees;
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    HeadSearch search(layer, h, order, effort);
    auto found = search.run();
    if (!found) return tl::unexpected(found.error());
    ranges.stated.heads.push_back(stated(layer, layer.heads[h], *found));
    ranges.heads.push_back(std::move(*found));
    trees.insert(trees.end(), search.trees().begin(), search.trees().end());
  }
  ranges.stated.trees = stated_trees(order, trees);
  return ranges;
}

}  // namespace sinkproof::certify
