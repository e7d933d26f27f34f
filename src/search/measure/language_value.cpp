#include "measure/language_value.hpp"

#include <utility>
#include <vector>

#include "certificate/envelope.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Intervention;
using certificate::kFormat;
using certificate::Language;
using certificate::LanguageQuestion;
using certificate::LanguageStatement;
using exact::Rational;
using json::Value;

Value texts_of(const std::vector<Rational>& numbers) {
  Value list = Value::array();
  for (const Rational& number : numbers) list.push_back(exact::to_string(number));
  return list;
}

Value intervention_value(const Intervention& intervention) {
  if (intervention.ablated) {
    return {{"ablated", {intervention.ablated->first, intervention.ablated->second}}};
  }
  return {{"first", intervention.eviction->first},
          {"window", intervention.eviction->window},
          {"renumbered", intervention.eviction->renumbered}};
}

}  // namespace

Value language_value(const Language& language) {
  Value statements = Value::array();
  for (const LanguageStatement& statement : language.statements) {
    const LanguageQuestion& question = statement.question;
    Value entry = {{"readout", question.row().name},
                   {"lower", texts_of(statement.lower)},
                   {"upper", texts_of(statement.upper)}};
    if (question.row().has_position) entry["position"] = question.position;
    if (question.row().is_share) {
      entry["epsilon"] = exact::to_string(question.epsilon);
    } else {
      entry["sequence"] = question.sequence;
    }
    if (question.intervention.any()) {
      entry["intervention"] = intervention_value(question.intervention);
    }
    statements.push_back(std::move(entry));
  }
  Value model = {{"architecture", language.architecture}, {"files", language.files}};
  if (!language.assumed_neutral.empty()) model["assumed_neutral"] = language.assumed_neutral;
  return {{"format", kFormat},
          {"kind", "language"},
          {"claim", "language"},
          {"claim_sha256", language.claim_sha256},
          {"semantics", "real"},
          {"model", std::move(model)},
          {"sequences", language.sequences},
          {"precision", language.precision},
          {"statements", std::move(statements)}};
}

}  // namespace sinkproof::measure
