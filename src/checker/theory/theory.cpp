#include "theory/theory.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "certificate/claim_hash.hpp"
#include "certificate/coq_statement.hpp"
#include "certificate/rule.hpp"
#include "certificate/says.hpp"
#include "certificate/schema.hpp"
#include "certificate/sha256.hpp"
#include "certificate/theory.hpp"
#include "theory/steps.hpp"
#include "vectors/vectors.hpp"

namespace sinkproof::check {
namespace {

using certificate::Rule;
using json::Value;
using Files = std::map<std::string, std::string>;

// What the steps seen so far amount to.
struct Progress {
  std::filesystem::path folder;
  Files files;                    // the claim's folder
  std::set<std::string> covered;  // files some step speaks for
  std::set<std::string> kinds;
  TheoryCheck result;                   // what is not re-verified, and holes
  Files theory;                         // the shared one; read when it is first needed
  std::set<std::string> sentences;      // of the statement files
  std::set<std::string> theorems;       // of the proof files
  std::map<std::string, bool> in_full;  // of files that claim.toml may name: is it for all sizes?
};

void take_word(const std::string& kind, const std::string& file, Progress& progress) {
  progress.kinds.insert(kind);
  progress.result.not_reverified.push_back({kind, file});
}

// What the step says under `key`, if anything, must be what the folder says: a proof of something
// else is not a proof.
void match_folder(const Value& step, const std::string& key, const std::string& file,
                  const Progress& progress) {
  const Value own = value_of(json::parse_strict(progress.files.at(file), file));
  const bool both = step.contains(key) && own.contains(key);
  require(step.contains(key) == own.contains(key) && (!both || step[key] == own[key]), file,
          "the certificate's " + key + " is not the claim's", "SP0803");
}

// Steps that are checked here: nothing is needed besides what they say themselves.
template <typename Exact>
requires requires(const Exact& by) { check_exactly(by, ""); }
void check_step(const Exact& by, const Value& step, const std::string& file, Progress& progress) {
  match_folder(step, "statement", file, progress);
  check_exactly(by, file);
  progress.kinds.insert("exact");
  progress.in_full[file] = by.scope == "all";
}

// It may have the solvers' word besides its evidence; that word is not believed.
void check_step(const certificate::Implication& by, const Value& step, const std::string& file,
                Progress& progress) {
  check_step<certificate::Implication>(by, step, file, progress);
  match_folder(step, "solvers", file, progress);
  if (by.has_solvers) take_word("smt", file, progress);
}

void check_step(const certificate::GivenVectors& by, const Value& step, const std::string& file,
                Progress& progress) {
  match_folder(step, "statement", file, progress);
  check_vectors_step(by.statement, by.evidence, file);
  progress.kinds.insert("exact");
}

// A solver's word: the lemma and its mutant are there, differ, and assert something.
void check_step(const certificate::Lemma& /*by*/, const Value& /*step*/, const std::string& file,
                Progress& progress) {
  const std::string mutant = certificate::mutant_of(file);
  const auto found = progress.files.find(mutant);
  require(found != progress.files.end(), file, mutant + " is missing", "SP0802");
  const std::string& lemma = progress.files.at(file);
  const std::string& mutated = found->second;
  require(lemma != mutated, file, "the mutant is the lemma itself", "SP0802");
  for (const std::string* asserted : {&lemma, &mutated}) {
    require(asserted->find("(assert") != std::string::npos, file,
            "the lemma or its mutant asserts nothing", "SP0802");
  }
  progress.covered.insert(mutant);
  progress.in_full[file] = true;  // all real numbers
  take_word("smt", file, progress);
}

const Files& shared_theory(Progress& progress) {
  if (progress.theory.empty()) {
    progress.theory = value_of(certificate::claim_files(progress.folder.parent_path() / "theory"));
  }
  return progress.theory;
}

// What is claimed, byte for byte: the statement file's sentences, its hash and those of the
// definitions it rests on.
void check_step(const certificate::Sentences& by, const Value& /*step*/, const std::string& file,
                Progress& progress) {
  const auto demand = [&](bool condition, const std::string& what) {
    require(condition, file, what, "SP0810");
  };
  const std::string& text = progress.files.at(file);
  demand(by.sha256 == certificate::sha256_hex(text), "the statement file has another hash");
  demand(!by.names.empty() && by.names == certificate::coq_sentences(text),
         "these are not the sentences of the file");
  const auto found = certificate::coq_definitions(text, shared_theory(progress), file);
  demand(by.definitions == decltype(by.definitions)(found.begin(), found.end()),
         "these are not the definition files it rests on, or one has another hash");
  for (const std::string& sentence : by.names) {
    demand(!sentence.ends_with(certificate::kInstance),
           "the sentence " + sentence + " has the form of an instance of another sentence");
    demand(progress.sentences.insert(sentence).second, sentence + " is stated twice");
  }
}

// Coq's word: the theorems are those the file ends with, in the same order, and the shared theory
// is the one they were proved with.
void check_step(const certificate::Theorems& by, const Value& /*step*/, const std::string& file,
                Progress& progress) {
  const auto demand = [&](bool condition, const std::string& what) {
    require(condition, file, what, "SP0807");
  };
  const auto& allowed = certificate::allowed_coq_axioms();
  std::string last;
  for (const std::string& name : by.assumptions) {
    demand(std::find(allowed.begin(), allowed.end(), name) != allowed.end(),
           "axiom " + name.substr(0, 80) + " is not allowed");
    demand(last < name, "assumptions must be distinct and sorted");
    last = name;
  }
  for (const std::string& name : by.names) {
    demand(progress.theorems.insert(name).second, name + " is proved twice");
  }
  demand(by.names == certificate::coq_theorems(progress.files.at(file)),
         "these are not the theorems the file ends with");
  require(by.theory_sha256 == certificate::claim_hash(shared_theory(progress)), file,
          "the shared Coq theory has another hash", "SP0801");
  take_word("coq", file, progress);
}

// Prose, or a step nobody carried out. It is recorded, so it cannot be overlooked.
void check_step(const certificate::Hole& /*by*/, const Value& /*step*/, const std::string& file,
                Progress& progress) {
  if (certificate::rule_of_file(file) == Rule::kSmt) {
    progress.covered.insert(certificate::mutant_of(file));
  }
  progress.result.holes.push_back(file);
}

// What is proved is what is stated: theorems are sentences or instances of their hypotheses, and,
// where nothing is missing, no sentence is without its theorem.
void match_sentences(const Progress& progress, const std::string& claim) {
  for (const std::string& theorem : progress.theorems) {
    const std::string of = theorem.ends_with(certificate::kInstance)
                               ? theorem.substr(0, theorem.size() - certificate::kInstance.size())
                               : theorem;
    require(progress.sentences.contains(theorem) || progress.sentences.contains(of), claim,
            "the theorem " + theorem + " is not a sentence of a statement file", "SP0810");
  }
  for (const std::string& sentence : progress.sentences) {
    require(!progress.result.holes.empty() || progress.theorems.contains(sentence), claim,
            "no theorem proves the sentence " + sentence, "SP0810");
  }
}

// `value` is the JSON that `step` was read from.
void check(const certificate::Step& step, const Value& value, Progress& progress) {
  progress.covered.insert(step.file);
  const bool is_assumed = std::holds_alternative<certificate::Assumed>(step.by);
  require(is_assumed || progress.files.contains(step.file), step.file,
          "is not in the claim's folder", "SP0802");
  std::visit([&](const auto& by) { check_step(by, value, step.file, progress); }, step.by);
}

void require_coverage(const Progress& progress, const std::string& claim) {
  require(progress.files.contains("claim.toml"), claim,
          "claim.toml is missing from the claim's folder", "SP0802");
  for (const auto& [path, bytes] : progress.files) {
    require(path == "claim.toml" || progress.covered.contains(path), path,
            "no step of the certificate covers this file", "SP0802");
  }
}

// As good as the weakest of the statements that claim.toml names: a theorem beside them lends them
// nothing.
std::string verdict_of(const Progress& progress, const std::string& claim) {
  if (!progress.result.holes.empty()) return "holey";
  bool in_full = true;
  for (const std::string& name : certificate::said_names(progress.files.at("claim.toml"), claim)) {
    if (progress.sentences.contains(name)) continue;  // proved: match_sentences
    const auto step = progress.in_full.find(name);
    require(step != progress.in_full.end(), claim,
            "says names " + name.substr(0, 80) + ", which no step states", "SP0810");
    in_full = in_full && step->second;
  }
  return in_full ? "proved" : "bounded";
}

// The verdict the steps give.
std::string check_all(const Value& value, Progress& progress) {
  const auto stated = certificate::read<certificate::Theory>(value, "certificate");
  const std::string claim = progress.folder.filename().string();
  progress.files = value_of(certificate::claim_files(progress.folder));
  require(stated.claim == claim, claim, "the certificate names another claim", "SP0801");
  require(stated.claim_sha256 == certificate::claim_hash(progress.files), claim,
          "the claim's folder has another hash: it changed, or another was meant", "SP0801");
  for (std::size_t i = 0; i < stated.steps.size(); ++i) {
    check(stated.steps[i], value["steps"][i], progress);
  }
  require_coverage(progress, claim);
  match_sentences(progress, claim);
  std::string verdict = verdict_of(progress, claim);
  require(stated.verdict == verdict, claim, "the steps give verdict " + verdict, "SP0808");
  return verdict;
}

std::string joined(const std::set<std::string>& kinds) {
  std::string text;
  for (const std::string kind : {"exact", "smt", "coq"}) {
    if (kinds.contains(kind)) text += (text.empty() ? "" : "+") + kind;
  }
  return text;
}

}  // namespace

TheoryCheck check_theory(const Value& value, const std::filesystem::path& claim_folder) {
  Progress progress;
  progress.folder = claim_folder.has_filename() ? claim_folder : claim_folder.parent_path();
  TheoryCheck& result = progress.result;
  result.verdict = check_all(value, progress);
  result.evidence = joined(progress.kinds);
  if (!result.holes.empty()) {
    result.reason = "assumed or prose: " + result.holes.front();
  } else if (!result.not_reverified.empty()) {
    result.reason = "steps not re-verified: " + std::to_string(result.not_reverified.size()) +
                    "; `sinkproof prove " + value["claim"].get<std::string>() + "` runs them again";
  }
  return std::move(result);
}

}  // namespace sinkproof::check
