// Re-verifies a theory certificate against the claim's folder: every file of the folder must be a
// step, every implication and identity is expanded again, and what rests on a solver's or Coq's
// word is listed, not believed. Costs seconds at most; starts no other program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "json/strict.hpp"

namespace sinkproof::check {

struct NotReverified {
  std::string kind;  // "smt" or "coq"
  std::string file;  // within the claim's folder
};

struct TheoryCheck {
  std::string verdict;   // "proved", "bounded" or "holey"
  std::string evidence;  // the kinds the verdict rests on: "exact", "exact+smt+coq", ...
  std::vector<NotReverified> not_reverified;
  std::vector<std::string> holes;  // files of the steps that are prose or assumed, when holey
  std::string reason;              // one sentence: why it is holey or not re-verified; or ""
};

// `value` is the certificate's object, its envelope already read; `claim_folder` is proofs/<claim>.
// The shared Coq theory is looked for in claim_folder/../theory. Throws Rejected: SP05xx, SP08xx.
TheoryCheck check_theory(const json::Value& value, const std::filesystem::path& claim_folder);

}  // namespace sinkproof::check
