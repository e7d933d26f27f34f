// A theory claim as data: the folder proofs/<id>/ with its claim.toml (proofs/README.md says how to
// add one). Everything a person reads about a claim is here; what decides it is in the files its
// steps name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "certificate/theory.hpp"
#include "exact/error.hpp"

namespace sinkproof::claim {

struct Step {
  std::string name;
  certificate::Rule rule = certificate::Rule::kImplication;
  std::string file;         // within the claim's folder; its ending fixes the rule
  std::string theorem;      // rule coq-theorem: the theorem that is the claim; else empty
  std::string establishes;  // in words
  std::vector<std::string> relies_on;  // names of earlier steps
};

struct Claim {
  std::string id;
  std::string title;
  std::string source;                   // paper and theorem
  std::string statement;                // in words
  std::string formula;                  // the same in symbols
  std::vector<std::string> hypotheses;  // in words, one each
  std::vector<Step> steps;              // in the order of the argument
  std::filesystem::path folder;
};

// The claim in `folder`. SP0601: claim.toml is no TOML (line and column are named). SP0602: a field
// is missing, unknown, empty or of the wrong type. SP0603: a step contradicts its file, repeats a
// name or a file, or relies on no earlier step. SP0604: no steps. SP0605: a file of the folder that
// no step names. SP0201, SP0501: the folder cannot be read. A step whose file is absent is not an
// error here: whoever proves the claim says what is missing.
exact::Result<Claim> load_claim(const std::filesystem::path& folder);

// The ids of all folders of `proofs` that hold a claim.toml, sorted. SP0606: none, or no such
// folder.
exact::Result<std::vector<std::string>> list_claims(const std::filesystem::path& proofs);

// proofs/<id>. SP0607: `id` is no id or has no claim.toml there.
exact::Result<std::filesystem::path> find_claim(const std::filesystem::path& proofs,
                                                const std::string& id);

}  // namespace sinkproof::claim
