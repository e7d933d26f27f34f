#include "check/ranges.hpp"

#include <optional>

#include "certificate/fields.hpp"
#include "check/hints.hpp"
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

// factor * (logit of the class, less the row's reference), at its largest over the key's noise.
// Without a key: of the null slot, whose logit is 0.
SignForm logit_form(const Head& head, std::size_t query, const std::optional<std::size_t>& key,
                    const std::optional<std::size_t>& reference, int factor) {
  SignForm form(head.noise);
  if (key) add_base(form, head, query, *key, factor);
  if (reference) add_base(form, head, query, *reference, -factor);
  if (!key || *key == kBosFlag) return form;
  if (query == kTriggerFlag && key == kTriggerFlag) {
    add_self(form, head, query, factor);
  } else {
    for (std::size_t l = 0; l < head.noise; ++l) add_absolute_q(form, head, query, l, 0, 1);
  }
  return form;
}

// `least` and `greatest` of an object, shown to enclose the kernel on [low, high].
Range read_kernel(const json::Value& object, const Attention& attention, Kernel kernel,
                  const Rational& low, const Rational& high, const std::string& where) {
  Range range{number(object, "least", where), number(object, "greatest", where)};
  require(range.least <= range.greatest, where, "least is above greatest");
  require(attention.is_signed || range.least >= 0, where, "least is negative");
  require(kernel_down(kernel, low) >= range.least, where, "a kernel may be below least");
  require(kernel_up(kernel, high) <= range.greatest, where, "a kernel may be above greatest");
  return range;
}

// The key flag whose base logit is subtracted in rows of a query; none if not relative.
std::optional<std::size_t> read_reference(const json::Value& object, const std::string& query,
                                          const Layer& layer) {
  const json::Value& references = object["references"];
  if (!layer.attention.relative) {
    require(references.is_null(), "references", "must be null for this attention");
    return std::nullopt;
  }
  keys(references, {"content", "trigger"}, "references");
  const std::string name = text(references, query, "references");
  require(name == "bos" || name == "content", "references", "must be bos or content");
  return name == "bos" ? kBosFlag : layer.width() - 1;
}

Range read_class(const json::Value& head_object, const std::string& name, const Layer& layer,
                 const Head& head, const Order& order) {
  const json::Value& object = head_object["classes"][name];
  keys(object, {"greatest", "high", "high_tree", "least", "low", "low_tree"}, name);
  const std::size_t content = head.content_flag();
  const bool by_content = name.starts_with("content_");
  const std::size_t query = by_content ? content : kTriggerFlag;
  const auto reference = read_reference(head_object, by_content ? "content" : "trigger", layer);
  std::optional<std::size_t> key;
  if (name.ends_with("_bos")) key = kBosFlag;
  if (name.ends_with("_content")) key = content;
  if (name.ends_with("_trigger")) key = kTriggerFlag;
  const Rational low = number(object, "low", name);
  const Rational high = number(object, "high", name);
  require_bound(logit_form(head, query, key, reference, 1), order, text(object, "high_tree", name),
                high, name + ".high");
  require_bound(logit_form(head, query, key, reference, -1), order, text(object, "low_tree", name),
                -low, name + ".low");
  return read_kernel(object, layer.attention, layer.attention.kernel, low, high, name);
}

// The gate over the noise of a query with the given flag.
Range read_gate(const json::Value& gates, const std::string& name, const Layer& layer,
                const Gate& gate, std::size_t flag) {
  const json::Value& object = gates[name];
  keys(object, {"greatest", "least"}, name);
  Rational swing = 0;
  if (flag != kBosFlag) {
    for (std::size_t l = 0; l < layer.noise(); ++l) swing += exact::abs(gate.weight[kNoise + l]);
  }
  const Rational middle = gate.bias + gate.weight[flag];
  return read_kernel(object, layer.attention, Kernel::kSigmoid, middle - swing, middle + swing,
                     "gate " + name);
}

HeadRanges read_head(const json::Value& object, const Layer& layer, std::size_t h,
                     const Order& order) {
  keys(object, {"bos", "classes", "gates", "references"}, "ranges.heads");
  std::vector<std::string> classes = {"content_bos", "content_content", "content_trigger",
                                      "trigger_bos", "trigger_content", "trigger_trigger"};
  if (layer.attention.null_slot) {
    classes.emplace_back("content_null");
    classes.emplace_back("trigger_null");
  }
  keys(object["classes"], classes, "classes");
  const Head& head = layer.heads[h];
  const auto read = [&](const std::string& name) {
    return read_class(object, name, layer, head, order);
  };
  HeadRanges ranges;
  ranges.content = {read("content_bos"), read("content_content"), read("content_trigger")};
  ranges.trigger = {read("trigger_bos"), read("trigger_content"), read("trigger_trigger")};
  if (layer.attention.null_slot) {
    ranges.content.null = read("content_null");
    ranges.trigger.null = read("trigger_null");
  }
  keys(object["bos"], {"greatest", "least"}, "bos");
  const bool only_ratio = layer.attention.relative && !layer.attention.null_slot;
  const Rational logit = only_ratio ? Rational(0) : head.logit(kBosFlag, kBosFlag);
  ranges.first =
      read_kernel(object["bos"], layer.attention, layer.attention.kernel, logit, logit, "bos");
  if (!layer.attention.gated) {
    require(object["gates"].is_null(), "gates", "must be null: this attention has none");
    return ranges;
  }
  keys(object["gates"], {"bos", "content", "trigger"}, "gates");
  const auto gate = [&](const std::string& name, std::size_t flag) {
    return read_gate(object["gates"], name, layer, layer.gates[h], flag);
  };
  ranges.content.gate = gate("content", head.content_flag());
  ranges.trigger.gate = gate("trigger", kTriggerFlag);
  ranges.first_gate = gate("bos", kBosFlag);
  return ranges;
}

}  // namespace

std::vector<HeadRanges> read_ranges(const json::Value& certificate, const Layer& layer) {
  const json::Value& object = certificate["ranges"];
  keys(object, {"heads", "order"}, "ranges");
  const Order order = read_order(object, layer.heads.front());
  const json::Value& list = *value_of(certificate::array_field(object, "heads", "ranges"));
  require(list.size() == layer.heads.size(), "ranges.heads", "must be one for each head");
  std::vector<HeadRanges> ranges;
  for (std::size_t h = 0; h < list.size(); ++h) {
    ranges.push_back(read_head(list[h], layer, h, order));
  }
  return ranges;
}

}  // namespace sinkproof::check
