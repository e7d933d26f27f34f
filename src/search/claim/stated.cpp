#include "claim/stated.hpp"

#include <algorithm>

#include "claim/coq_text.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"

namespace sinkproof::claim {
namespace {

using certificate::Rule;
using json::Value;

// How tightly an expression of FORMAT.md, 3.7, binds: 0 a sum, 1 a product, 2 a power, 3 a name.
int binding(const Value& expression) {
  if (!expression.is_array()) return 3;
  if (expression.at(0) == "^") return 2;
  return expression.at(0) == "*" ? 1 : 0;
}

std::string infix(const Value& expression);

std::string within(const Value& expression, int least) {
  const std::string text = infix(expression);
  return binding(expression) >= least ? text : "(" + text + ")";
}

// The expression as a person writes it: "2 * eta - (b - 1)".
std::string infix(const Value& expression) {
  if (!expression.is_array()) return expression.get<std::string>();
  const std::string sign = expression.at(0).get<std::string>();
  if (sign == "^") return within(expression.at(1), 3) + "^" + expression.at(2).dump();
  if (sign == "-" && expression.size() == 2) return "-" + within(expression.at(1), 1);
  std::string text;
  for (std::size_t i = 1; i < expression.size(); ++i) {
    if (i > 1) text += " " + sign + " ";
    // a - (b + c) needs its brackets, a + (b + c) does not.
    const int least = sign == "+" || i == 1 ? 0 : 1;
    text += within(expression.at(i), sign == "*" ? 1 : least);
  }
  return text;
}

std::string relation(const Value& stated) {
  return infix(stated.at("polynomial")) + " " + stated.at("relation").get<std::string>() + " 0";
}

std::string implication(const Value& statement) {
  std::string text;
  for (const Value& hypothesis : statement.at("hypotheses")) {
    text += hypothesis.at("name").get<std::string>() + ": " + relation(hypothesis) + "\n";
  }
  return text + "==> " + relation(statement.at("conclusion"));
}

std::string identities(const Value& statement) {
  std::string text;
  for (const Value& one : statement.at("identities")) {
    text += (text.empty() ? "" : "\n") + infix(one.at("left")) + " = " + infix(one.at("right"));
  }
  return text;
}

// For which sizes it is stated, where not for all.
std::string scope(const Value& statement) {
  const Value said = statement.value("scope", Value("all"));
  return said == "all" ? "" : "\nfor " + said.dump() + " only";
}

// A file of evidence in words of mathematics; its own text where it has no shorter form.
std::string readable(Rule rule, const std::string& text) {
  const auto content = json::parse_strict(text, "evidence");
  if (!content) return text;
  try {
    const Value& statement = content->at("statement");
    if (rule == Rule::kImplication) return implication(statement) + scope(statement);
    if (rule == Rule::kIdentity) return identities(statement) + scope(statement);
  } catch (const Value::exception&) {
    return text;  // malformed: `prove` reports it
  }
  return text;
}

std::optional<std::string> find_sentence(const Claim& claim, const std::string& name) {
  for (const Step& step : claim.steps) {
    if (step.rule != Rule::kStatement) continue;
    const auto text = file::read(claim.folder / step.file);
    if (!text) continue;
    for (const auto& [begin, end] : coq_command_ranges(*text)) {
      const std::string command = text->substr(begin, end - begin);
      if (command.starts_with("Definition " + name + " : Prop :=")) return command + ".";
    }
  }
  return std::nullopt;
}

std::optional<std::string> threshold(const Claim& claim, const std::string& name) {
  if (!claim.checkpoint) return std::nullopt;
  const auto& asked = claim.checkpoint->require;
  const bool found = std::any_of(asked.begin(), asked.end(),
                                 [&](const Requirement& one) { return one.text == name; });
  return found ? std::optional(name) : std::nullopt;
}

}  // namespace

std::optional<std::string> stated(const Claim& claim, const std::string& name) {
  if (auto asked = threshold(claim, name)) return asked;
  for (const Step& step : claim.steps) {
    if (step.file != name) continue;
    const auto text = file::read(claim.folder / step.file);
    return text ? std::optional(readable(step.rule, *text)) : std::nullopt;
  }
  return find_sentence(claim, name);
}

}  // namespace sinkproof::claim
