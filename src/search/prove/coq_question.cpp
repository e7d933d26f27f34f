#include "prove/coq_question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "certificate/coq_statement.hpp"
#include "certificate/split.hpp"
#include "prove/coq_text.hpp"

namespace sinkproof::prove {
namespace {

using exact::Result;

constexpr std::string_view kPlugin = "Declare ML Module \"sinkproof.questions\".";

struct Place {
  std::string module;
  std::string sentence;
};

std::optional<Place> place_of(const std::string& sentence, const CoqStatements& statements) {
  for (const CoqStatements::File& file : statements.files) {
    const auto& names = file.sentences;
    if (std::find(names.begin(), names.end(), sentence) != names.end()) {
      return Place{file.module, sentence};
    }
  }
  return std::nullopt;
}

// The sentence a theorem proves, or whose hypotheses it shows to hold together.
std::optional<Place> instance_of(const std::string& theorem, const CoqStatements& statements) {
  const auto end = certificate::kInstance;
  if (!theorem.ends_with(end)) return std::nullopt;
  return place_of(theorem.substr(0, theorem.size() - end.size()), statements);
}

}  // namespace

CoqQuestion CoqQuestion::about_names(const std::string& module, const std::string& preamble,
                                     const std::string& of_definitions) {
  CoqQuestion question;
  const auto import = [&](const std::string& lines) {
    for (const std::string_view line : certificate::split(lines, "\n")) {
      question.lines_.push_back({std::string(line), "", ""});
    }
  };
  import(preamble);
  question.lines_.push_back({"Require Claim." + module + ".", "", ""});
  question.lines_.push_back({std::string(kPlugin), "", ""});
  question.lines_.push_back({fmt::format("Sinkproof Fresh Names \"Claim.{}\".", module), "SP0720",
                             "introduces a name that already has a meaning there"});
  import(of_definitions);
  question.lines_.push_back({"Sinkproof Fresh Definitions.", "SP0720",
                             "rests on a definition with a name that already has a meaning there"});
  return question;
}

Result<CoqQuestion> CoqQuestion::about(const std::string& module,
                                       const std::vector<std::string>& theorems,
                                       const CoqStatements& statements, const std::string& where) {
  for (const std::string& name : theorems) {
    if (place_of(name, statements) || instance_of(name, statements)) continue;
    return exact::fail("SP0721", where,
                       "the theorem " + name +
                           " is not a sentence of the claim's statement files; print the "
                           "assumptions of sentences and of their instances only");
  }
  CoqQuestion question;
  question.answer_ = "sinkproof_answer_" + module;
  auto& lines = question.lines_;
  std::string modules = "Claim." + module;
  for (const auto& file : statements.files) modules += " Claim." + file.module;
  lines.push_back({"Require " + modules + ".", "", ""});
  lines.push_back({std::string(kPlugin), "", ""});
  lines.push_back({fmt::format("Sinkproof Plain Terms \"Claim.{}\".", module), "SP0711",
                   "a term is not allowed"});
  lines.push_back({"Sinkproof Distinct Definitions.", "SP0720", "a name has two meanings"});
  for (std::size_t k = 0; k < theorems.size(); ++k) {
    question.ask_theorem(module, theorems[k], statements, k);
  }
  // One question about all of them: Coq walks through the whole theory for each it is asked.
  lines.push_back(
      {fmt::format("Definition all_of_them := ({}).", fmt::join(question.defined_, ", ")), "", ""});
  lines.push_back(
      {fmt::format("Redirect \"{}\" Print Assumptions all_of_them.", question.answer_), "", ""});
  return question;
}

// The lines about one theorem: a sentence, or an instance of one.
void CoqQuestion::ask_theorem(const std::string& module, const std::string& theorem,
                              const CoqStatements& statements, std::size_t number) {
  const auto sentence = place_of(theorem, statements);
  const Place place = sentence ? *sentence : *instance_of(theorem, statements);
  const std::string stated = fmt::format("Claim.{}.{}", place.module, place.sentence);
  const std::string proof = fmt::format("Claim.{}.{}", module, theorem);
  const bool has_instance = statements.instances.contains(place.sentence);
  if (sentence) {
    defined_.push_back(fmt::format("checked{}", number));
    lines_.push_back({fmt::format("Definition checked{} : {} := {}.", number, stated, proof),
                      "SP0721",
                      fmt::format("the theorem {} is not what {}.{} says", theorem, place.module,
                                  place.sentence)});
    if (has_instance) return;
  }
  lines_.push_back({fmt::format("Sinkproof Hypotheses hypotheses{} of {}.", number, stated),
                    "SP0723",
                    fmt::format("the conclusion of {} may hide a hypothesis", place.sentence)});
  defined_.push_back(fmt::format("met{}", number));
  lines_.push_back(
      {fmt::format("Definition met{0} : hypotheses{0} := {1}.", number, sentence ? "I" : proof),
       "SP0722",
       sentence ? fmt::format("the sentence {0} has hypotheses, or is about things of a type that "
                              "could be empty, and no theorem {0}_instance shows that they can be "
                              "met",
                              place.sentence)
                : fmt::format("{} does not say that the hypotheses of {} can be met", theorem,
                              place.sentence)});
}

std::string CoqQuestion::text() const {
  std::string text;
  for (const Line& line : lines_) text += line.text + "\n";
  return text;
}

exact::Error CoqQuestion::explain(const std::string& complaint, const std::string& where) const {
  constexpr std::size_t shown = 600;
  const std::size_t line = coq_complaint_line(complaint);
  const bool known = line >= 1 && line <= lines_.size() && !lines_[line - 1].code.empty();
  if (!known) return {"SP0710", where, complaint.substr(0, shown)};
  // Of what Coq says the end counts: "The term .. has type .. while it is expected to have type
  // ..".
  std::size_t begin = complaint.find("expected to have type");
  if (begin == std::string::npos) begin = complaint.find("Error:");
  const std::string words = begin == std::string::npos ? complaint : complaint.substr(begin);
  return {lines_[line - 1].code, where, lines_[line - 1].what + ". " + words.substr(0, shown)};
}

}  // namespace sinkproof::prove
