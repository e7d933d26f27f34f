#include "prove/coq_question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "certificate/coq_statement.hpp"
#include "prove/coq_text.hpp"

namespace sinkproof::prove {
namespace {

// The hypotheses of a proposition: each `forall x : A` becomes `exists x : A`, each `H ->` becomes
// `H /\`, conjunctions are entered, and everything else is the conclusion and drops out. A line
// each, so that a line number names a question.
constexpr std::string_view kTactics[] = {
    "Ltac both a b := lazymatch a with True => b | _ => lazymatch b with True => a | _ => "
    "constr:(a /\\ b) end end.",
    "Ltac hypotheses P := lazymatch P with"
    " | ?A /\\ ?B => let a := hypotheses A in let b := hypotheses B in both a b"
    " | ?A -> ?B => let s := type of A in let s := eval hnf in s in lazymatch s with Prop => let b "
    ":= hypotheses B in both A b"
    " | _ => hypotheses B end"
    " | forall x : ?A, @?B x => let s := type of A in let s := eval hnf in s in let h := "
    "constr:(fun x : A => ltac:(let b := eval cbv beta in (B x)"
    " in let r := hypotheses b in exact r)) in lazymatch s with Prop => constr:(ex h)"
    " | _ => lazymatch h with fun _ => True => True | _ => constr:(ex h) end end"
    " | _ => True end."};

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

// The hypotheses of a sentence, with the claim's own definitions written out.
std::string hypotheses_of(const Place& place, const CoqStatements& statements) {
  const std::string name = fmt::format("Claim.{}.{}", place.module, place.sentence);
  std::string unfolded = name;
  for (const CoqStatements::File& file : statements.files) {
    for (const std::string& own : file.own) {
      unfolded += fmt::format(" Claim.{}.{}", file.module, own);
    }
  }
  return fmt::format(
      "ltac:(let p := eval cbv beta zeta delta [{}] in {} in let h := hypotheses p in "
      "exact h)",
      unfolded, name);
}

}  // namespace

exact::Result<CoqQuestion> CoqQuestion::about(const std::string& module,
                                              const std::vector<std::string>& theorems,
                                              const CoqStatements& statements,
                                              const std::string& where) {
  CoqQuestion question;
  auto& lines = question.lines_;
  std::string modules = "Claim." + module;
  for (const auto& file : statements.files) modules += " Claim." + file.module;
  lines.push_back({"Require " + modules + ".", "", ""});
  // What a file may have set for all who load it.
  lines.push_back({"Unset Program Mode. Unset Universe Polymorphism.", "", ""});
  for (const std::string_view tactic : kTactics) lines.push_back({std::string(tactic), "", ""});
  std::string all;
  for (std::size_t k = 0; k < theorems.size(); ++k) {
    const std::string& name = theorems[k];
    const auto answer = fmt::format(":= Claim.{}.{}.", module, name);
    if (const auto place = place_of(name, statements)) {
      lines.push_back(
          {fmt::format("Definition checked{} : Claim.{}.{} {}", k, place->module, name, answer),
           "SP0721",
           fmt::format("the theorem {} is not what {}.{} says", name, place->module, name)});
      if (!statements.instances.contains(name)) {
        all += fmt::format("{}free{}", all.empty() ? "" : ", ", k);
        lines.push_back(
            {fmt::format("Definition free{} : {} := I.", k, hypotheses_of(*place, statements)),
             "SP0722",
             fmt::format("the sentence {} has hypotheses, and no theorem {}_instance "
                         "shows that they can be met",
                         name, name)});
      }
    } else if (const auto of = instance_of(name, statements)) {
      lines.push_back(
          {fmt::format("Definition checked{} : {} {}", k, hypotheses_of(*of, statements), answer),
           "SP0722",
           fmt::format("{} does not say that the hypotheses of {} can be met", name,
                       of->sentence)});
    } else {
      return exact::fail("SP0721", where,
                         "the theorem " + name +
                             " is no sentence of the claim's statement files; print the "
                             "assumptions of sentences and of their instances only");
    }
    all += fmt::format("{}checked{}", all.empty() ? "" : ", ", k);
  }
  // One question about all of them: Coq walks through the whole theory for each it is asked.
  lines.push_back({"Definition checked := (" + all + ").", "", ""});
  lines.push_back({"Redirect \"assumptions\" Print Assumptions checked.", "", ""});
  return question;
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
  if (!known) return {"SP0710", where, "coqc fails: " + complaint.substr(0, shown)};
  // Of what Coq says the end counts: "The term .. has type .. while it is expected to have type
  // ..".
  std::size_t begin = complaint.find("expected to have type");
  if (begin == std::string::npos) begin = complaint.find("Error:");
  const std::string words = begin == std::string::npos ? complaint : complaint.substr(begin);
  return {lines_[line - 1].code, where, lines_[line - 1].what + ". " + words.substr(0, shown)};
}

}  // namespace sinkproof::prove
