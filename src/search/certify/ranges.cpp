#include "certify/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "attention/kernel.hpp"
#include "attention/ranges.hpp"
#include "attention/whole_form.hpp"
#include "certificate/sha256.hpp"
#include "certify/kernel.hpp"
#include "certify/logit_forms.hpp"
#include "rounded/decimal.hpp"
#include "write/write.hpp"

namespace sinkproof::certify {
namespace {

using certificate::HeadRanges;
using certificate::Interval;
using certificate::KernelClass;
using certificate::QueryRanges;
using exact::Rational;
using exact::Result;

constexpr unsigned kLogitDigits = 16;
constexpr unsigned kKernelDigits = 15;

// The key whose logit is subtracted from all of a row: of BOS and content tokens the one that the
// query attends to more, so that what is left of the others is small.
std::size_t reference_of(const Head& head, std::size_t query) {
  const std::size_t content = head.content_flag();
  return head.logit_float(query, kBosFlag) > head.logit_float(query, content) ? kBosFlag : content;
}

check::SignForm logit_form(const Layer& layer, std::size_t h, std::size_t query, Key key,
                           int factor) {
  std::optional<std::size_t> reference;
  if (layer.is_relative()) reference = reference_of(layer.heads[h], query);
  return check::logit_form(layer.exact.heads[h], query, key, reference, factor);
}

struct Bound {
  Rational value;
  std::string tree;
};

// An upper bound on factor * logit.
Bound bound_logit(const check::SignForm& form, const Head& head, std::span<const std::size_t> order,
                  const Effort& effort) {
  const Rational root = check::WholeForm(form).root_bound();
  if (root == form.sum.constant) return {root, "0"};             // no noise moves it
  const bool is_affine = form.own == 0 && form.of_keys.empty();  // its root is its maximum
  if (!effort.roots_only && !is_affine) {
    Maximum maximum = maximise(estimated(form, head), order, effort.margin, effort.nodes);
    const auto value = exact_value(maximum.value);
    if (value && std::fabs(maximum.value) > kLeastEstimate) {
      return {rounded::round_up_decimal(*value, kLogitDigits), std::move(maximum.tree)};
    }
  }
  return {rounded::round_up_decimal(root, kLogitDigits), "0"};
}

Interval kernel_range(certificate::Kernel kernel, const Rational& low, const Rational& high) {
  using certificate::Kernel;
  if (kernel == Kernel::kLinear) return {low, high};
  if (kernel == Kernel::kRelu) return {exact::max(0, low), exact::max(0, high)};
  return {rounded::round_down_decimal(check::kernel_down(kernel, low), kKernelDigits),
          rounded::round_up_decimal(check::kernel_up(kernel, high), kKernelDigits)};
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

Interval stated(const Interval& range, const Effort& effort) {
  return {stated_below(range.least, effort.places), stated_above(range.greatest, effort.places)};
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
      ranges.content.null = find(content, kNullSlot);
      ranges.trigger.null = find(kTriggerFlag, kNullSlot);
    }
    const Rational first = check::first_logit(layer_.exact, h_);
    check(first, first);
    if (layer_.is_gated()) check_gates();
    if (too_large_) {
      return exact::fail(
          "SP1403", "head " + std::to_string(h_),
          "has logits beyond 4000, and the checker's exp ends at 4096; scale the weights down");
    }
    ranges.first = stated(kernel_range(layer_.kind().kernel, first, first), effort_);
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
    ranges.bos = find(query, kBosKey);
    ranges.content = find(query, kContentKey);
    ranges.trigger = find(query, kTriggerKey);
    ranges.bos_reference = reference_of(layer_.heads[h_], query) == kBosFlag;
    return ranges;
  }

  void check_gates() {
    for (const std::size_t flag : {kBosFlag, kTriggerFlag, layer_.width() - 1}) {
      const Rational least = check::gate_logits(layer_.exact.gates[h_], flag).least;
      too_large_ = too_large_ || least < -kMostExpArgument;
    }
  }

  KernelClass find(std::size_t query, Key key) {
    const Head& head = layer_.heads[h_];
    const auto bound = [&](int factor) {
      return bound_logit(logit_form(layer_, h_, query, key, factor), head, order_, effort_);
    };
    Bound high = bound(1);
    Bound low = bound(-1);
    const auto [least, greatest] = stated({-low.value, high.value}, effort_);
    check(least, greatest);
    if (too_large_) return {};
    const Interval kernel = stated(kernel_range(layer_.kind().kernel, least, greatest), effort_);
    trees_.push_back(std::move(high.tree));
    trees_.push_back(std::move(low.tree));
    return {least, greatest, kernel};
  }

  [[nodiscard]] Interval gate_range(std::size_t flag) const {
    const auto [low, high] = check::gate_logits(layer_.exact.gates[h_], flag);
    return stated(kernel_range(certificate::Kernel::kSigmoid, low, high), effort_);
  }

  void find_gates(HeadRanges& ranges) {
    ranges.first_gate = gate_range(kBosFlag);
    ranges.trigger.gate = gate_range(kTriggerFlag);
    ranges.content.gate = gate_range(layer_.width() - 1);
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
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const Head& head = layer.heads[h];
    for (const std::size_t query : {kTriggerFlag, head.content_flag()}) {
      forms.push_back(estimated(logit_form(layer, h, query, kContentKey, 1), head));
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
  return certificate::sha256_hex(json::canonical(write::written(ranges.stated(), around(layer))));
}

Result<LayerRanges> find_ranges(const Layer& layer, const Effort& effort) {
  const std::vector<std::size_t> order = common_order(layer);
  LayerRanges ranges{layer.exact, {}};
  std::vector<std::string> trees;
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    HeadSearch search(layer, h, order, effort);
    auto found = search.run();
    if (!found) return tl::unexpected(found.error());
    ranges.layer.ranges.push_back(std::move(*found));
    trees.insert(trees.end(), search.trees().begin(), search.trees().end());
  }
  ranges.trees = stated_trees(order, trees);
  return ranges;
}

}  // namespace sinkproof::certify
