#include "theory/theory.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "certificate/claim_hash.hpp"
#include "certificate/coq_statement.hpp"
#include "certificate/envelope.hpp"
#include "certificate/fields.hpp"
#include "certificate/rule.hpp"
#include "certificate/says.hpp"
#include "certificate/sha256.hpp"
#include "certificate/theory.hpp"
#include "theory/steps.hpp"
#include "vectors/vectors.hpp"

namespace sinkproof::check {
namespace {

using certificate::keys;
using certificate::Rule;
using certificate::text;
using json::Value;

// Steps that are checked here: nothing is needed besides what they say themselves.
struct ExactRule {
  StepRule* check;
  bool has_evidence;
};
const std::map<Rule, ExactRule> kExactRules = {
    {Rule::kImplication, {check_implication, true}},
    {Rule::kIdentity, {check_polynomial_identity, false}},
    {Rule::kConstruction, {check_construction, false}},
    {Rule::kVectors, {check_vectors_step, true}}};

// What the steps seen so far amount to.
struct Progress {
  std::filesystem::path folder;
  std::map<std::string, std::string> files;  // the claim's folder
  std::set<std::string> covered;             // files some step speaks for
  std::set<std::string> kinds;
  TheoryCheck result;                         // what is not re-verified, and holes
  std::map<std::string, std::string> theory;  // the shared one; read when it is first needed
  std::set<std::string> sentences;            // of the statement files
  std::set<std::string> theorems;             // of the proof files
  std::map<std::string, bool> in_full;  // of files that claim.toml may name: is it for all sizes?
};

// The scope of a statement already read: "all" or a description of the sizes it speaks of.
void note_scope(const Value& statement, const std::string& file, Progress& progress) {
  const std::string scope = text(statement, "scope", file);
  require(!scope.empty(), file, "scope is empty", "SP0503");
  if (certificate::may_be_said(*certificate::rule_of_file(file))) {
    progress.in_full[file] = scope == "all";
  }
}

void take_word(const std::string& kind, const std::string& file, Progress& progress) {
  progress.kinds.insert(kind);
  progress.result.not_reverified.push_back({kind, file});
}

// What the step says under `key`, if anything, must be what the folder says: a proof of something
// else is no proof.
void match_folder(const Value& step, const std::string& key, const Value& own,
                  const std::string& file) {
  const bool both = step.contains(key) && own.contains(key);
  require(step.contains(key) == own.contains(key) && (!both || step[key] == own[key]), file,
          "the certificate's " + key + " is not the claim's", "SP0803");
}

// An implication may have the solvers' word besides its evidence; that word is not believed.
void check_exact_step(const Value& step, const std::string& file, Rule rule, Progress& progress) {
  const auto& [check, has_evidence] = kExactRules.at(rule);
  std::vector<std::string> expected = {"file", "rule", "statement"};
  const bool has_word = rule == Rule::kImplication && step.contains("solvers");
  if (has_word) expected.emplace_back("solvers");
  if (has_evidence) expected.emplace_back("evidence");
  keys(step, expected, file);
  const Value own = value_of(json::parse_strict(progress.files.at(file), file));
  match_folder(step, "statement", own, file);
  if (rule == Rule::kImplication) match_folder(step, "solvers", own, file);
  const Value& statement = step["statement"];
  static const Value kNone;
  check(statement, has_evidence ? step["evidence"] : kNone, file);
  progress.kinds.insert("exact");
  note_scope(statement, file, progress);
  if (!has_word) return;
  require(step["solvers"] == certificate::solvers(), file,
          "solvers is not " + certificate::solvers().dump(), "SP0503");
  take_word("smt", file, progress);
}

// A solver's word: the lemma and its mutant are there, differ, and assert something.
void check_smt_step(const Value& step, const std::string& file, Progress& progress) {
  keys(step, {"file", "rule"}, file);
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

void check_assumptions(const Value& step, const std::string& file) {
  const std::vector<std::string> names = certificate::texts(step, "assumptions", file);
  const auto& allowed = certificate::allowed_coq_axioms();
  for (std::size_t i = 0; i < names.size(); ++i) {
    require(std::find(allowed.begin(), allowed.end(), names[i]) != allowed.end(), file,
            "axiom " + names[i].substr(0, 80) + " is not allowed", "SP0807");
    require(i == 0 || names[i - 1] < names[i], file, "assumptions must be distinct and sorted",
            "SP0807");
  }
}

const std::map<std::string, std::string>& shared_theory(Progress& progress) {
  if (progress.theory.empty()) {
    progress.theory = value_of(certificate::claim_files(progress.folder.parent_path() / "theory"));
  }
  return progress.theory;
}

// What is claimed, byte for byte: the statement file's sentences, its hash and those of the
// definitions it rests on.
void check_statement_step(const Value& step, const std::string& file, Progress& progress) {
  keys(step, {"definitions", "file", "rule", "sentences", "sha256"}, file);
  const std::string& text = progress.files.at(file);
  require(step["sha256"] == certificate::sha256_hex(text), file,
          "the statement file has another hash", "SP0810");
  const std::vector<std::string> sentences = certificate::coq_sentences(text);
  require(!sentences.empty() && certificate::texts(step, "sentences", file) == sentences, file,
          "these are not the sentences of the file", "SP0810");
  Value definitions = Value::array();
  const auto found = certificate::coq_definitions(text, shared_theory(progress), file);
  for (const auto& [name, hash] : found) definitions.push_back({{"file", name}, {"sha256", hash}});
  require(step["definitions"] == definitions, file,
          "these are not the definition files it rests on, or one has another hash", "SP0810");
  for (const std::string& sentence : sentences) {
    require(!sentence.ends_with(certificate::kInstance), file,
            "the sentence " + sentence + " has the form of an instance of another sentence",
            "SP0810");
    require(progress.sentences.insert(sentence).second, file, sentence + " is stated twice",
            "SP0810");
  }
}

// Coq's word: the theorems are those the file ends with, in the same order, and the shared theory
// is the one they were proved with.
void check_coq_step(const Value& step, const std::string& file, Progress& progress) {
  keys(step, {"assumptions", "file", "rule", "theorems", "theory_sha256"}, file);
  const std::vector<std::string> names = certificate::texts(step, "theorems", file);
  check_assumptions(step, file);
  for (const std::string& name : names) {
    require(progress.theorems.insert(name).second, file, name + " is proved twice", "SP0807");
  }
  require(names == certificate::coq_theorems(progress.files.at(file)), file,
          "these are not the theorems the file ends with", "SP0807");
  require(text(step, "theory_sha256", file) == certificate::claim_hash(shared_theory(progress)),
          file, "the shared Coq theory has another hash", "SP0801");
  take_word("coq", file, progress);
}

// What is proved is what is said: theorems are sentences or instances of their hypotheses, and,
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

// A hole: prose, or a step nobody carried out. It is recorded, so it cannot be overlooked.
void check_hole(const Value& step, const std::string& file, Progress& progress) {
  keys(step, {"file", "rule"}, file);
  if (certificate::rule_of_file(file) == Rule::kSmt) {
    progress.covered.insert(certificate::mutant_of(file));
  }
  progress.result.holes.push_back(file);
}

void check_step(const Value& step, std::string& last_file, Progress& progress) {
  const std::string file = text(step, "file", "steps");
  const std::string rule = text(step, "rule", file);
  require(last_file < file, file, "steps must be distinct and sorted by file", "SP0802");
  last_file = file;
  require(certificate::is_path_within(file), file.substr(0, 80),
          "is not a path within the claim's folder", "SP0802");
  const auto expected = certificate::rule_of_file(file);
  require(expected.has_value(), file, "has no rule for a file of this name", "SP0802");
  progress.covered.insert(file);
  if (rule == "assumed") return check_hole(step, file, progress);
  require(rule == certificate::rule_name(*expected), file,
          "rule \"" + rule.substr(0, 40) + "\" is not this file's rule", "SP0802");
  require(progress.files.contains(file), file, "is not in the claim's folder", "SP0802");
  if (kExactRules.contains(*expected)) return check_exact_step(step, file, *expected, progress);
  if (*expected == Rule::kSmt) return check_smt_step(step, file, progress);
  if (*expected == Rule::kStatement) return check_statement_step(step, file, progress);
  if (*expected == Rule::kCoq) return check_coq_step(step, file, progress);
  check_hole(step, file, progress);  // prose
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
  const std::string claim = progress.folder.filename().string();
  progress.files = value_of(certificate::claim_files(progress.folder));
  keys(value, {"claim", "claim_sha256", "format", "kind", "steps", "verdict"}, claim);
  require(value["kind"] == "theory", claim, "kind must be \"theory\"", "SP0503");
  require(value["claim"] == claim, claim, "the certificate names another claim", "SP0801");
  require(value["claim_sha256"] == certificate::claim_hash(progress.files), claim,
          "the claim's folder has another hash: it changed, or another was meant", "SP0801");
  const Value& steps = certificate::list(value, "steps", claim);
  require(!steps.empty(), claim, "has no steps, so it proves nothing", "SP0802");
  std::string last_file;
  for (const Value& step : steps) check_step(step, last_file, progress);
  require_coverage(progress, claim);
  match_sentences(progress, claim);
  std::string verdict = verdict_of(progress, claim);
  require(value["verdict"] == verdict, claim, "the steps give verdict " + verdict, "SP0808");
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
    result.reason = std::to_string(result.not_reverified.size()) +
                    " steps not re-verified; `sinkproof prove " +
                    value["claim"].get<std::string>() + "` runs them again";
  }
  return std::move(result);
}

}  // namespace sinkproof::check
