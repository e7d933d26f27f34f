#include "cli/certification_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <variant>

#include "certificate/beside_bounds.hpp"
#include "cli/console.hpp"
#include "cli/digits.hpp"
#include "cli/witness_file.hpp"
#include "json/strict.hpp"
#include "model/box_text.hpp"
#include "rounded/decimal.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

json::Value optional_text(const std::optional<exact::Rational>& value, bool up) {
  if (!value) return nullptr;
  return up ? rounded::decimal_up(*value, kDigits) : rounded::decimal_down(*value, kDigits);
}

json::Value witness_json(const std::optional<certify::Witness>& witness) {
  if (!witness) return nullptr;
  json::Value tokens = json::Value::array();
  for (const auto& token : witness->tokens) {
    json::Value row = json::Value::array();
    for (const exact::Rational& x : token) row.push_back(exact::to_string(x));
    tokens.push_back(std::move(row));
  }
  return {{"trigger", witness->trigger},
          {"tokens", tokens},
          {"row", witness->row},
          {"coordinate", witness->coordinate}};
}

json::Value property_json(const certify::Property& property, const model::AttentionModel& model,
                          const certify::Certification& certification) {
  const auto& [first, last] = certification.triggers;
  const auto shortest = certificate::holds_when_shorter(property.name) ? first : model.length;
  json::Value entry = {{"name", property.name},
                       {"scope",
                        {{"length", model.length},
                         {"lengths", {shortest, model.length}},
                         {"trigger", {first, last}},
                         {"rows", property.rows},
                         {"box", model::to_string(certification.box, model.d_model - 3)}}},
                       {"verdict", property.verdict},
                       {"lower", optional_text(property.lower, false)},
                       {"upper", optional_text(property.upper, true)},
                       {"witness", witness_json(property.witness)},
                       {"seconds", property.seconds}};
  if (property.head) {
    entry["layer"] = *property.layer;
    entry["head"] = *property.head;
  }
  if (property.name.starts_with("theorem.")) {
    entry["hypothesis"] = property.hypothesis;
    entry["implied"] = optional_text(property.implied, false);
    entry["certified"] = optional_text(property.certified, false);
  }
  if (property.probability) entry["probability"] = optional_text(property.probability, false);
  if (property.threshold) {
    entry["samples"] = property.samples;
    entry["threshold"] = exact::to_string(*property.threshold);
  }
  if (property.exceedance) {
    entry["exceedance"] = optional_text(property.exceedance, true);
    entry["exceeding"] = property.exceeding;
  }
  if (!property.reason.empty()) entry["reason"] = property.reason;
  return entry;
}

json::Value decision_json(const certify::Decision& decision, const certify::Property& property) {
  const bool refuted = decision.verdict == claim::Verdict::kRefuted;
  const bool below = decision.refuted_from_below(property);
  json::Value entry = {{"asked", decision.requirement.text},
                       {"property", property.name},
                       {"verdict", claim::to_string(decision.verdict)},
                       {"lower", optional_text(property.lower, false)},
                       {"upper", optional_text(property.upper, true)},
                       {"refuted_by", nullptr},
                       {"attained_at", nullptr}};
  if (refuted) entry["refuted_by"] = below ? "lower" : "upper";
  if (refuted && is_attained(property, below)) {
    const certify::Witness& at = *property.witness;
    entry["attained_at"] = {
        {"row", at.row}, {"coordinate", at.coordinate}, {"trigger", at.trigger}};
  }
  if (property.head) {
    entry["layer"] = *property.layer;
    entry["head"] = *property.head;
  }
  return entry;
}

// What the bounds make of what was asked, in a line.
std::string decision_text(const certify::Decision& decision, const certify::Property& property) {
  const std::string lower = property.lower ? rounded::decimal_down(*property.lower, kDigits) : "?";
  const std::string upper = property.upper ? rounded::decimal_up(*property.upper, kDigits) : "?";
  if (decision.verdict != claim::Verdict::kRefuted) {
    return fmt::format("{} is between {} and {}", label(property), lower, upper);
  }
  const bool below = decision.refuted_from_below(property);
  const std::string side = fmt::format("{} is at {} {}", label(property), below ? "least" : "most",
                                       below ? lower : upper);
  if (!is_attained(property, below)) return side + " for all inputs";
  const certify::Witness& at = *property.witness;
  return fmt::format("{}, {}; --save-witness FILE keeps the input", side,
                     claim::attained_words(property.name, at.row, at.coordinate, at.trigger));
}

// "with 99 % confidence". Precondition: the property rests on samples.
std::string confidence_text(const certify::Certification& certification, const std::string& name) {
  const auto& content = certification.stated.find(name)->content;
  const auto* theorem = std::get_if<certificate::SampledTheorem>(&content);
  const certificate::Sampled& sampled =
      theorem != nullptr ? theorem->sampled
                         : std::get<certificate::RandomStatement>(content).sampled;
  return "with " + rounded::decimal_down((1 - sampled.alpha) * 100, 6) + " % confidence";
}

}  // namespace

std::string label(const certify::Property& property) {
  if (!property.head) return property.name;
  return fmt::format("{} layer {} head {}", property.name, *property.layer, *property.head);
}

void print_certification_json(const certify::Certification& certification,
                              const std::vector<certify::Decision>& decisions,
                              const model::AttentionModel& model) {
  json::Value requirements = json::Value::array();
  for (const certify::Decision& decision : decisions) {
    requirements.push_back(decision_json(decision, certification.properties[decision.property]));
  }
  json::Value properties = json::Value::array();
  for (const auto& property : certification.properties) {
    properties.push_back(property_json(property, model, certification));
  }
  const json::Value report = {{"schema", 1},
                              {"model",
                               {{"attention", model::to_string(model.attention)},
                                {"d_model", model.d_model},
                                {"num_heads", model.num_heads},
                                {"num_layers", model.layers.size()},
                                {"overrides", model.overrides},
                                {"residual", model.residual},
                                {"scale", exact::to_string(model.scale)},
                                {"sha256", model.sha256},
                                {"unread_metadata", model.unread}}},
                              {"semantics", "real"},
                              {"length", model.length},
                              {"properties", properties},
                              {"requirements", requirements}};
  say_json(report);
}

void print_certification_text(const certify::Certification& certification,
                              const std::vector<certify::Decision>& decisions,
                              const model::AttentionModel& model) {
  say("{}, {}, d_model {}, length {}, {}, semantics real, all inputs of the box {}\n",
      model::to_string(model.attention), text::counted(model.num_heads, "head"), model.d_model,
      model.length, certificate::scale_text(model.scale),
      model::to_string(certification.box, model.d_model - 3));
  if (const auto reading = certificate::overrides_text(model.overrides); !reading.empty()) {
    say("{}\n", reading);
  }
  if (const auto unread = model::unread_text(model); !unread.empty()) say("{}\n", unread);
  if (certification.triggers.first != 3 || certification.triggers.last != model.length) {
    say("triggers at positions {} to {}\n", certification.triggers.first,
        certification.triggers.last);
  }
  const auto& all = certification.properties;
  if (std::any_of(all.begin(), all.end(),
                  [](const auto& p) { return certificate::holds_when_shorter(p.name); })) {
    const std::string lengths =
        certificate::lengths_text(certification.triggers.first, model.length);
    if (!lengths.empty()) say("{}\n", lengths);
  }
  constexpr std::size_t kWide = 14;
  std::size_t longest = 20;
  for (const auto& p : certification.properties) longest = std::max(longest, label(p).size());
  say("{:<{}} {:<14} {:>14} {:>14} {:>8}\n", "property", longest, "verdict", "lower", "upper",
      "seconds");
  for (const auto& p : certification.properties) {
    const std::string padding(p.verdict.size() < kWide ? kWide - p.verdict.size() : 0, ' ');
    const std::string lower = p.lower ? rounded::decimal_down(*p.lower, kDigits) : "";
    const std::string upper = p.upper ? rounded::decimal_up(*p.upper, kDigits) : "";
    say("{:<{}} {}{} {:>14} {:>14} {:>8.2f}\n", label(p), longest, shown_verdict(p.verdict),
        padding, lower, upper, p.seconds);
    if (p.implied) {
      say("  implies {} >= {}; certified >= {}\n",
          p.name == "theorem.tc-4" ? "a rollout on BOS" : "BOS attention",
          rounded::decimal_down(*p.implied, 6), rounded::decimal_down(*p.certified, 6));
    }
    if (p.probability && p.implied) {
      say("  {}, P[loss > eta] <= {} ({} above), so that floor has probability >= {}\n",
          confidence_text(certification, p.name), rounded::decimal_up(*p.exceedance, 6),
          text::counted(p.exceeding, "sample"), rounded::decimal_down(*p.probability, 6));
    }
    if (p.threshold && p.exceedance) {
      say("  {}, P[{}] <= {}: {} of {} random sequences exceed the threshold\n",
          confidence_text(certification, p.name), p.hypothesis,
          rounded::decimal_up(*p.exceedance, 6), p.exceeding, p.samples);
    } else if (!p.hypothesis.empty()) {
      say("  {}\n", p.hypothesis);
    }
    if (p.threshold && !p.exceedance) say("  {}\n", p.reason);
  }
  for (const certify::Decision& decision : decisions) {
    const certify::Property& property = certification.properties[decision.property];
    const std::string verdict = claim::to_string(decision.verdict);
    say("{}{} {}: {}\n", shown_verdict(verdict),
        std::string(verdict.size() < 8 ? 8 - verdict.size() : 0, ' '), decision.requirement.text,
        decision_text(decision, property));
  }
}

}  // namespace sinkproof::cli
