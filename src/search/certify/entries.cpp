#include "certify/entries.hpp"

#include <algorithm>
#include <utility>

#include "model/reading.hpp"
#include "write/write.hpp"

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

certificate::Witness stated_witness(const Witness& witness) {
  const std::size_t width = witness.tokens.front().size();
  certificate::Witness stated{witness.trigger, witness.row, witness.coordinate, witness.sign,
                              exact::RationalMatrix(witness.tokens.size(), width)};
  for (std::size_t i = 0; i < witness.tokens.size(); ++i) {
    for (std::size_t c = 0; c < width; ++c) stated.tokens(i, c) = witness.tokens[i][c];
  }
  return stated;
}

certificate::Property stated_bound(const Property& property, certificate::Proof by) {
  certificate::Bound bound = certificate::bound_named(property.name).value();
  bound.layer = property.layer;
  bound.head = property.head;
  bound.lower = property.lower.value();
  bound.upper = property.upper.value();
  if (bound.rows) bound.witness = stated_witness(property.witness.value());
  return {property.name, "enclosed", std::move(by), std::move(bound)};
}

Decided largest_loss(const std::vector<const Property*>& parts) {
  Decided decided;
  Property& property = decided.property;
  property.name = "sup-loss";
  property.verdict = "enclosed";
  property.rows = "1 <= i <= L";
  certificate::ByMaximum by;
  std::string from;
  for (const Property* part : parts) {
    by.names.push_back(part->name);
    if (!property.upper || *part->upper > *property.upper) property.upper = part->upper;
    if (!property.lower || *part->lower > *property.lower) {
      property.lower = part->lower;
      property.witness = part->witness;
      from = part->name;
    }
  }
  decided.stated = stated_bound(property, std::move(by));
  std::get<certificate::Bound>(decided.stated->content).from = from;
  return decided;
}

json::Value Certification::certificate() const { return write::written(stated); }

certificate::Checkpoint certificate_of(const model::AttentionModel& model, const Options& options) {
  const TriggerRange triggers = options.stack.triggers.value_or(TriggerRange{3, model.length});
  certificate::Checkpoint whole;
  whole.claim_sha256 = options.claim_hash;
  whole.length = model.length;
  whole.box = model.box;
  whole.first_trigger = triggers.first;
  whole.last_trigger = triggers.last;
  whole.model = model::reading_of(model);
  return whole;
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
                           model::to_string(model.attention) +
                           " model of this length; the properties are " + names);
  }
  return with_references(asked, all);
}

}  // namespace sinkproof::certify
