#include "certify/entries.hpp"

#include <algorithm>

#include "certificate/checkpoint.hpp"
#include "model/box_text.hpp"
#include "model/certificate_entry.hpp"

namespace sinkproof::certify {
namespace {

std::vector<std::string> with_references(const std::vector<std::string>& asked,
                                         const std::vector<std::string>& all) {
  const auto in = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const bool deep = in(asked, "theorem.tc-4");
  const bool theorem = std::any_of(asked.begin(), asked.end(),
                                   [](const auto& name) { return name.starts_with("theorem."); });
  const bool overall = theorem || in(asked, "sup-loss");
  const std::string floors = deep ? "rollout-floor" : "bos-floor";
  std::vector<std::string> result;
  for (const std::string& name : all) {
    const bool needed =
        (overall && name.starts_with("sup-loss")) || (theorem && name.starts_with(floors));
    if (needed || in(asked, name)) result.push_back(name);
  }
  return result;
}

}  // namespace

std::string rows_text(RowClass rows, bool from_two) {
  switch (rows) {
    case RowClass::kPre:
      return from_two ? "2 <= i < j" : "1 <= i < j";
    case RowClass::kTrigger:
      return "i = j";
    case RowClass::kPost:
      return "j < i <= L";
  }
  return "";
}

json::Value witness_entry(const Witness& witness) {
  json::Value tokens = json::Value::array();
  for (const auto& token : witness.tokens) {
    json::Value entry = json::Value::array();
    for (const exact::Rational& x : token) entry.push_back(exact::to_string(x));
    tokens.push_back(std::move(entry));
  }
  return {{"coordinate", witness.coordinate},
          {"row", witness.row},
          {"sign", witness.sign},
          {"tokens", tokens},
          {"trigger", witness.trigger}};
}

json::Value checkpoint_object(const model::AttentionModel& model, const Options& options,
                              const TriggerRange& triggers, json::Value ranges,
                              json::Value properties) {
  return {{"format", certificate::kCheckpointFormat},
          {"kind", "checkpoint"},
          {"claim", "checkpoint"},
          {"claim_sha256", options.claim_hash},
          {"semantics", "real"},
          {"length", model.length},
          {"box", model::box_entry(model.box)},
          {"triggers", json::Value::array({triggers.first, triggers.last})},
          {"model", model::certificate_entry(model)},
          {"inputs", nullptr},
          {"ranges", std::move(ranges)},
          {"properties", std::move(properties)}};
}

exact::Result<std::vector<std::string>> named_properties(const model::AttentionModel& model,
                                                         const std::vector<std::string>& asked,
                                                         const std::vector<std::string>& all) {
  if (asked.empty()) return all;
  for (const std::string& name : asked) {
    if (std::find(all.begin(), all.end(), name) != all.end()) continue;
    std::string names;
    for (const std::string& one : all) names += (names.empty() ? "" : ", ") + one;
    return exact::fail("SP1402", "property " + name.substr(0, 60),
                       "does not exist or does not apply to a " +
                           model::to_string(model.attention) + " model of this length; there are " +
                           names);
  }
  return with_references(asked, all);
}

}  // namespace sinkproof::certify
