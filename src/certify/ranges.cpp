#include "certify/ranges.hpp"

#include <optional>

#include "certify/kernel.hpp"
#include "certify/logit_forms.hpp"
#include "exact/decimal.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using exact::Result;

constexpr unsigned kLogitDigits = 12;
constexpr unsigned kKernelDigits = 15;
constexpr unsigned kPrecision = 192;
constexpr int kMostExpArgument = 4000;  // the checker's exp ends at 4096

// The key whose logit is subtracted from all of a row: of BOS and content tokens the one that the
// query attends to more, so that what is left of the others is small.
std::size_t reference_of(const Head& head, std::size_t query) {
  const std::size_t content = head.content_flag();
  return head.logit_float(query, kBosFlag) > head.logit_float(query, content) ? kBosFlag : content;
}

using Key = std::optional<std::size_t>;

// factor * (logit of the class, less the row's reference), at its largest over the key's noise.
// Without a key: of the null slot, whose logit is 0.
SignForm logit_form(const Layer& layer, const Head& head, std::size_t query, Key key,
                    double factor) {
  SignForm form(head.noise);
  if (key) add_base(form, head, query, *key, factor);
  if (layer.is_relative()) add_base(form, head, query, reference_of(head, query), -factor);
  if (!key || *key == kBosFlag) return form;
  if (query == kTriggerFlag && key == kTriggerFlag) {
    add_self(form, head, query, factor);
  } else {
    add_query_norm(form, head, query);
  }
  return form;
}

// The logit of the class without noise, exactly.
Rational quiet_logit(const Layer& layer, const Head& head, std::size_t query, Key key) {
  const Rational own = key ? head.logit(query, *key) : Rational(0);
  if (!layer.is_relative()) return own;
  return own - head.logit(query, reference_of(head, query));
}

// True when no noise moves the form: only then is its constant the whole of it, exactly.
bool is_constant(const SignForm& form) {
  const auto all_zero = [](const std::vector<double>& entries) {
    for (const double entry : entries) {
      if (entry != 0) return false;
    }
    return true;
  };
  return all_zero(form.linear) && all_zero(form.cross) && all_zero(form.offset) &&
         all_zero(form.rows);
}

struct Bound {
  Rational value;
  std::string tree;
};

// An upper bound on factor * logit.
Bound bound_logit(const Layer& layer, const Head& head, std::size_t query, Key key, int factor,
                  std::span<const std::size_t> order, const Effort& effort) {
  const SignForm form = logit_form(layer, head, query, key, factor);
  const Rational quiet = quiet_logit(layer, head, query, key) * factor;
  if (is_constant(form) && exact::from_double(form.constant) == quiet) return {quiet, "0"};
  Maximum maximum = maximise(form, order, effort.margin, effort.nodes);
  return {exact::round_up_decimal(exact::from_double(maximum.value), kLogitDigits),
          std::move(maximum.tree)};
}

// Room for the checker's own rounding of exp, which is coarser than the intervals here.
Rational checker_slack() { return exact::power_of_two(-80); }

template <typename Enclose>
Range enclose(const Rational& low, const Rational& high, const Enclose& kernel) {
  const Rational least = kernel(low).lower() * (1 - checker_slack());
  const Rational greatest = kernel(high).upper() * (1 + checker_slack());
  return {exact::round_down_decimal(least, kKernelDigits),
          exact::round_up_decimal(greatest, kKernelDigits)};
}

Range kernel_range(const Layer& layer, const Rational& low, const Rational& high) {
  using model::Attention;
  const Attention kind = layer.attention;
  if (kind == Attention::kLinear) return {low, high};
  if (kind == Attention::kRelu) return {exact::max(0, low), exact::max(0, high)};
  return enclose(low, high,
                 [&](const Rational& logit) { return kernel_enclosure(kind, logit, kPrecision); });
}

Range gate_range(const Gate& gate, std::size_t flag, std::size_t noise) {
  Rational swing = 0;
  for (std::size_t k = 0; flag != kBosFlag && k < noise; ++k) {
    swing += exact::abs(gate.weight[kFirstNoise + k]);
  }
  const Rational middle = gate.bias + gate.weight[flag];
  return enclose(middle - swing, middle + swing,
                 [](const Rational& logit) { return logistic_enclosure(logit, kPrecision); });
}

json::Value entry_of(const Range& range) {
  return {{"greatest", exact::to_string(range.greatest)}, {"least", exact::to_string(range.least)}};
}

// Ranges of one head, collecting its hints.
class HeadSearch {
 public:
  HeadSearch(const Layer& layer, std::size_t h, std::span<const std::size_t> order,
             const Effort& effort)
      : layer_(layer), h_(h), order_(order), effort_(effort) {}

  Result<HeadRanges> run() {
    const Head& head = layer_.heads[h_];
    const std::size_t content = head.content_flag();
    HeadRanges ranges;
    ranges.content = {find("content_bos", content, kBosFlag),
                      find("content_content", content, content),
                      find("content_trigger", content, kTriggerFlag)};
    ranges.trigger = {find("trigger_bos", kTriggerFlag, kBosFlag),
                      find("trigger_content", kTriggerFlag, content),
                      find("trigger_trigger", kTriggerFlag, kTriggerFlag)};
    if (layer_.has_null_slot()) {
      ranges.content.null = find("content_null", content, std::nullopt);
      ranges.trigger.null = find("trigger_null", kTriggerFlag, std::nullopt);
    }
    const Rational first = layer_.has_only_ratios() ? Rational(0) : head.logit(kBosFlag, kBosFlag);
    check(first);
    if (too_large_) {
      return exact::fail("SP1403", "head " + std::to_string(h_),
                         "its logits reach beyond 4000; the checker's exp ends at 4096");
    }
    ranges.first = kernel_range(layer_, first, first);
    hints_["bos"] = entry_of(ranges.first);
    hints_["gates"] = nullptr;
    hints_["references"] = nullptr;
    if (layer_.is_relative()) {
      const auto name = [&](std::size_t query) {
        return reference_of(head, query) == kBosFlag ? "bos" : "content";
      };
      hints_["references"] = {{"content", name(content)}, {"trigger", name(kTriggerFlag)}};
    }
    if (layer_.is_gated()) find_gates(ranges);
    return ranges;
  }

  [[nodiscard]] const json::Value& hints() const { return hints_; }

 private:
  void check(const Rational& logit) {
    too_large_ = too_large_ || exact::abs(logit) > kMostExpArgument;
  }

  Range find(const std::string& name, std::size_t query, Key key) {
    const Head& head = layer_.heads[h_];
    Bound high = bound_logit(layer_, head, query, key, 1, order_, effort_);
    Bound low = bound_logit(layer_, head, query, key, -1, order_, effort_);
    low.value = -low.value;
    check(low.value);
    check(high.value);
    if (too_large_) return {};
    const Range range = kernel_range(layer_, low.value, high.value);
    json::Value& entry = hints_["classes"][name];
    entry = entry_of(range);
    entry["high"] = exact::to_string(high.value);
    entry["high_tree"] = high.tree;
    entry["low"] = exact::to_string(low.value);
    entry["low_tree"] = low.tree;
    return range;
  }

  void find_gates(HeadRanges& ranges) {
    const Gate& gate = layer_.gates[h_];
    ranges.first_gate = gate_range(gate, kBosFlag, layer_.noise());
    ranges.trigger.gate = gate_range(gate, kTriggerFlag, layer_.noise());
    ranges.content.gate = gate_range(gate, layer_.width() - 1, layer_.noise());
    hints_["gates"] = {{"bos", entry_of(ranges.first_gate)},
                       {"content", entry_of(ranges.content.gate)},
                       {"trigger", entry_of(ranges.trigger.gate)}};
  }

  const Layer& layer_;
  std::size_t h_;
  std::span<const std::size_t> order_;
  const Effort& effort_;
  json::Value hints_;
  bool too_large_ = false;
};

std::vector<std::size_t> common_order(const Layer& layer) {
  std::vector<SignForm> forms;
  for (const Head& head : layer.heads) {
    for (const std::size_t query : {kTriggerFlag, head.content_flag()}) {
      forms.push_back(logit_form(layer, head, query, head.content_flag(), 1));
    }
  }
  return influence_order(forms);
}

}  // namespace

Result<LayerRanges> find_ranges(const Layer& layer, const Effort& effort) {
  const std::vector<std::size_t> order = common_order(layer);
  LayerRanges ranges;
  json::Value heads = json::Value::array();
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    HeadSearch search(layer, h, order, effort);
    auto found = search.run();
    if (!found) return tl::unexpected(found.error());
    ranges.heads.push_back(std::move(*found));
    heads.push_back(search.hints());
  }
  ranges.hints = {{"heads", heads}, {"order", order}};
  return ranges;
}

}  // namespace sinkproof::certify
