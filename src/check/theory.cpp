#include "check/theory.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certificate/fields.hpp"
#include "certificate/theory.hpp"
#include "certificate/work.hpp"
#include "check/construction.hpp"
#include "check/implication.hpp"
#include "check/polynomial_identity.hpp"
#include "check/vectors.hpp"

namespace sinkproof::check {
namespace {

using certificate::Rule;
using exact::Result;
using json::Value;

// What the steps seen so far amount to.
struct Progress {
  certificate::Work work;
  std::filesystem::path folder;
  std::map<std::string, std::string> files;  // the claim's folder
  std::set<std::string> covered;             // files some step speaks for
  std::set<std::string> kinds;
  std::vector<NotReverified> not_reverified;
  std::vector<std::string> holes;
  bool has_coq = false;
  bool has_theorem = false;      // theorem.*.json, theorem.smt2
  bool theorem_bounded = false;  // ... whose scope is not "all"
};

Result<void> refuse(const std::string& code, const std::string& where, const std::string& what) {
  return exact::fail(code, where, what);
}

// The scope of a statement already read: "all" or a description of the sizes it speaks of.
Result<void> note_theorem(const Value& statement, const std::string& file, Progress& progress) {
  const auto scope = certificate::string_field(statement, "scope", file);
  if (!scope) return tl::unexpected(scope.error());
  if (scope->empty()) return refuse("SP0503", file, "scope is empty");
  if (!certificate::is_theorem_file(file)) return {};
  progress.has_theorem = true;
  progress.theorem_bounded = progress.theorem_bounded || *scope != "all";
  return {};
}

// What the step says under `key`, if anything, must be what the folder says: a proof of something
// else is no proof.
Result<void> match_folder(const Value& step, const std::string& key, const Value& own,
                          const std::string& file) {
  const bool both = step.contains(key) && own.contains(key);
  if (step.contains(key) == own.contains(key) && (!both || step[key] == own[key])) return {};
  return refuse("SP0803", file, "the certificate's " + key + " is not the claim's");
}

// A step that is checked here, by `rule`: nothing is needed besides what it says itself.
Result<void> check_exact_step(const Value& step, const std::string& file,
                              const std::vector<std::string>& keys, Progress& progress,
                              const std::function<Result<void>()>& rule) {
  if (auto only = certificate::only_keys(step, keys, file); !only) return only;
  const auto own = json::parse_strict(progress.files.at(file), file);
  if (!own) return tl::unexpected(own.error());
  if (auto matched = match_folder(step, "statement", *own, file); !matched) return matched;
  if (step["rule"] == "implication") {
    if (auto matched = match_folder(step, "solvers", *own, file); !matched) return matched;
  }
  if (auto held = rule(); !held) return held;
  progress.kinds.insert("exact");
  return note_theorem(step["statement"], file, progress);
}

// An implication may have the solvers' word besides its evidence; that word is not believed.
Result<void> check_implication_step(const Value& step, const std::string& file,
                                    Progress& progress) {
  std::vector<std::string> keys = {"evidence", "file", "rule", "statement"};
  const bool has_word = step.contains("solvers");
  if (has_word) keys.emplace_back("solvers");
  auto held = check_exact_step(step, file, keys, progress, [&] {
    return check_implication(step["statement"], step["evidence"], progress.work, file);
  });
  if (!held || !has_word) return held;
  if (step["solvers"] != certificate::solvers()) {
    return refuse("SP0503", file, "solvers is not " + certificate::solvers().dump());
  }
  progress.kinds.insert("smt");
  progress.not_reverified.push_back({"smt", file});
  return {};
}

// A solver's word: the lemma and its mutant are there, differ, and assert something.
Result<void> check_smt_step(const Value& step, const std::string& file, Progress& progress) {
  if (auto keys = certificate::only_keys(step, {"file", "rule"}, file); !keys) return keys;
  const std::string mutant = certificate::mutant_of(file);
  const auto found = progress.files.find(mutant);
  if (found == progress.files.end()) return refuse("SP0802", file, mutant + " is missing");
  const std::string& lemma = progress.files.at(file);
  const std::string& mutant_text = found->second;
  if (lemma == mutant_text) return refuse("SP0802", file, "the mutant is the lemma itself");
  for (const std::string* text : {&lemma, &mutant_text}) {
    if (text->find("(assert") == std::string::npos) {
      return refuse("SP0802", file, "the lemma or its mutant asserts nothing");
    }
  }
  progress.covered.insert(mutant);
  progress.has_theorem = progress.has_theorem || certificate::is_theorem_file(file);
  progress.kinds.insert("smt");
  progress.not_reverified.push_back({"smt", file});
  return {};
}

Result<void> check_assumptions(const Value& theorem, const std::string& file) {
  const auto names = certificate::strings_field(theorem, "assumptions", file);
  if (!names) return tl::unexpected(names.error());
  const auto& allowed = certificate::allowed_coq_axioms();
  for (std::size_t i = 0; i < names->size(); ++i) {
    if (std::find(allowed.begin(), allowed.end(), (*names)[i]) == allowed.end()) {
      return refuse("SP0807", file, "axiom " + (*names)[i].substr(0, 80) + " is not allowed");
    }
    if (i > 0 && (*names)[i - 1] >= (*names)[i]) {
      return refuse("SP0807", file, "assumptions must be distinct and sorted");
    }
  }
  return {};
}

// The theorems of the step are those the file ends with, in the same order.
Result<void> check_theorems(const Value& list, const std::string& file, const std::string& text) {
  std::vector<std::string> names;
  for (const Value& theorem : list) {
    if (auto keys = certificate::only_keys(theorem, {"assumptions", "name"}, file); !keys) {
      return keys;
    }
    auto name = certificate::string_field(theorem, "name", file);
    if (!name) return tl::unexpected(name.error());
    names.push_back(std::move(*name));
    if (auto allowed = check_assumptions(theorem, file); !allowed) return allowed;
  }
  if (names.empty() || names != certificate::coq_theorems(text)) {
    return refuse("SP0807", file, "these are not the theorems the file ends with");
  }
  return {};
}

// Coq's word: the theorems are the file's own, and the shared theory is the one they were proved
// with.
Result<void> check_coq_step(const Value& step, const std::string& file, Progress& progress) {
  if (auto keys = certificate::only_keys(step, {"file", "rule", "theorems", "theory_sha256"}, file);
      !keys) {
    return keys;
  }
  const auto theorems = certificate::array_field(step, "theorems", file);
  if (!theorems) return tl::unexpected(theorems.error());
  if (auto own = check_theorems(**theorems, file, progress.files.at(file)); !own) return own;
  const auto hash = certificate::string_field(step, "theory_sha256", file);
  if (!hash) return tl::unexpected(hash.error());
  const auto theory = certificate::claim_hash(progress.folder.parent_path() / "theory");
  if (!theory) return tl::unexpected(theory.error());
  if (*theory != *hash) return refuse("SP0801", file, "the shared Coq theory has another hash");
  progress.has_coq = true;
  progress.kinds.insert("coq");
  progress.not_reverified.push_back({"coq", file});
  return {};
}

// A hole: prose, or a step nobody carried out. It is recorded, so it cannot be overlooked.
Result<void> check_hole(const Value& step, const std::string& file, Progress& progress) {
  if (auto keys = certificate::only_keys(step, {"file", "rule"}, file); !keys) return keys;
  if (certificate::rule_of_file(file) == Rule::kSmt) {
    progress.covered.insert(certificate::mutant_of(file));
  }
  progress.holes.push_back(file);
  return {};
}

Result<void> check_step(const Value& step, std::string& last_file, Progress& progress) {
  const auto file = certificate::string_field(step, "file", "steps");
  if (!file) return tl::unexpected(file.error());
  const auto rule = certificate::string_field(step, "rule", *file);
  if (!rule) return tl::unexpected(rule.error());
  if (*file <= last_file) {
    return refuse("SP0802", *file, "steps must be distinct and sorted by file");
  }
  last_file = *file;
  if (!certificate::is_path_within(*file)) {
    return refuse("SP0802", file->substr(0, 80), "is no path within the claim's folder");
  }
  const auto expected = certificate::rule_of_file(*file);
  if (!expected) return refuse("SP0802", *file, "no rule for a file of this name");
  progress.covered.insert(*file);
  if (*rule == "assumed") return check_hole(step, *file, progress);
  if (*rule != certificate::rule_name(*expected)) {
    return refuse("SP0802", *file, "rule \"" + rule->substr(0, 40) + "\" is not this file's rule");
  }
  if (!progress.files.contains(*file)) {
    return refuse("SP0802", *file, "is not in the claim's folder");
  }
  switch (*expected) {
    case Rule::kImplication:
      return check_implication_step(step, *file, progress);
    case Rule::kIdentity:
      return check_exact_step(step, *file, {"file", "rule", "statement"}, progress, [&] {
        return check_polynomial_identity(step["statement"], progress.work, *file);
      });
    case Rule::kConstruction:
      return check_exact_step(step, *file, {"file", "rule", "statement"}, progress, [&] {
        return check_construction(step["statement"], progress.work, *file);
      });
    case Rule::kVectors:
      return check_exact_step(
          step, *file, {"evidence", "file", "rule", "statement"}, progress, [&] {
            return check_vectors_step(step["statement"], step["evidence"], progress.work, *file);
          });
    case Rule::kSmt:
      return check_smt_step(step, *file, progress);
    case Rule::kCoq:
      return check_coq_step(step, *file, progress);
    case Rule::kProse:
      return check_hole(step, *file, progress);
  }
  return refuse("SP0802", *file, "unknown rule");
}

Result<void> check_coverage(const Progress& progress, const std::string& claim) {
  if (!progress.files.contains("claim.toml")) {
    return refuse("SP0802", claim, "claim.toml is missing from the claim's folder");
  }
  for (const auto& [path, bytes] : progress.files) {
    if (path != "claim.toml" && !progress.covered.contains(path)) {
      return refuse("SP0802", path, "no step of the certificate speaks for this file");
    }
  }
  return {};
}

std::string verdict_of(const Progress& progress) {
  if (!progress.holes.empty()) return "holey";
  if (progress.has_coq) return "proved";
  if (progress.has_theorem) return progress.theorem_bounded ? "bounded" : "proved";
  return "rejected";
}

Result<void> check_all(const Value& value, Progress& progress) {
  const std::string claim = progress.folder.filename().string();
  if (auto keys = certificate::only_keys(
          value, {"claim", "claim_sha256", "format", "kind", "steps", "verdict"}, claim);
      !keys) {
    return keys;
  }
  if (value["kind"] != "theory") return refuse("SP0503", claim, "kind must be \"theory\"");
  if (value["claim"] != claim) {
    return refuse("SP0801", claim, "the certificate names another claim");
  }
  if (value["claim_sha256"] != certificate::claim_hash(progress.files)) {
    return refuse("SP0801", claim,
                  "the claim's folder has another hash: it changed, or another was meant");
  }
  const auto steps = certificate::array_field(value, "steps", claim);
  if (!steps) return tl::unexpected(steps.error());
  if ((*steps)->empty()) return refuse("SP0802", claim, "no steps: nothing is shown");
  std::string last_file;
  for (const Value& step : **steps) {
    if (auto held = check_step(step, last_file, progress); !held) return held;
  }
  if (auto covered = check_coverage(progress, claim); !covered) return covered;
  const std::string verdict = verdict_of(progress);
  if (verdict == "rejected") return refuse("SP0802", claim, "no step states the theorem itself");
  if (value["verdict"] != verdict) {
    return refuse("SP0808", claim, "the steps give verdict " + verdict);
  }
  return {};
}

std::string joined(const std::set<std::string>& kinds) {
  std::string text;
  for (const std::string kind : {"exact", "smt", "coq"}) {
    if (kinds.contains(kind)) text += (text.empty() ? "" : "+") + kind;
  }
  return text;
}

TheoryCheck rejected(const exact::Error& error) {
  TheoryCheck result;
  result.verdict = "rejected";
  result.error = error;
  result.reason = error.where + ": " + error.what;
  return result;
}

}  // namespace

TheoryCheck check_theory(const Value& value, const std::filesystem::path& claim_folder) {
  Progress progress;
  progress.work = certificate::Work(certificate::certificate_bytes(value).size());
  progress.folder = claim_folder.has_filename() ? claim_folder : claim_folder.parent_path();
  auto files = certificate::claim_files(claim_folder);
  if (!files) return rejected(files.error());
  progress.files = std::move(*files);
  if (const auto held = check_all(value, progress); !held) return rejected(held.error());
  TheoryCheck result;
  result.verdict = verdict_of(progress);
  result.evidence = joined(progress.kinds);
  result.not_reverified = std::move(progress.not_reverified);
  result.holes = std::move(progress.holes);
  if (!result.holes.empty()) {
    result.reason = "assumed or prose: " + result.holes.front();
  } else if (!result.not_reverified.empty()) {
    result.reason = std::to_string(result.not_reverified.size()) +
                    " steps not re-verified (run sinkproof prove for them)";
  }
  return result;
}

}  // namespace sinkproof::check
