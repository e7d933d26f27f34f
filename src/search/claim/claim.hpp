// A claim as data: the folder proofs/<id>/ with its claim.toml (proofs/README.md says how to add
// one). Everything a person reads about a claim is here; what decides it is in the files its steps
// name, or in the checkpoint it is about.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "certificate/theory.hpp"
#include "claim/checkpoint_claim.hpp"
#include "claim/sentence.hpp"
#include "exact/error.hpp"

namespace sinkproof::claim {

struct Step {
  std::string name;
  certificate::Rule rule = certificate::Rule::kImplication;
  std::string file;                    // within the claim's folder; its ending fixes the rule
  std::string establishes;             // in words
  std::vector<std::string> relies_on;  // names of earlier steps
};

// What a variant of attention needs in order to solve the task (docs/THEORY.md, tc-8).
enum class Sink {
  kNecessary,         // small loss forces a sink
  kAvoidableExactly,  // some parameters have loss 0 without one
  kAvoidableInLimit,  // loss and BOS attention below any positive number, loss 0 out of reach
};

// "necessary", "avoidable exactly", "avoidable in the limit".
std::string to_string(Sink sink);

// One row of a claim that is a map of variants: what is known of one kind of attention, and by
// which steps of the claim.
struct Variant {
  std::string name;       // in words; no two of a claim are the same
  std::string attention;  // of CHECKPOINT_RULES.md, 4.2; "" for none of them
  Sink sink = Sink::kNecessary;
  std::string bound;                  // the closed form or constant, in symbols
  std::vector<std::string> says;      // what says `bound`, as of a sentence; at least one
  std::vector<std::string> evidence;  // names of steps, at least one
  std::string trained;                // stem of a checkpoint certificate; "" when there is none
};

struct Claim {
  std::string id;
  std::string title;
  std::string source;                   // paper and theorem
  std::vector<Sentence> sentences;      // what it says, and what says the same in evidence
  std::vector<std::string> hypotheses;  // in words, one each
  std::vector<Step> steps;              // in the order of the argument; none of a checkpoint claim
  std::vector<Variant> variants;        // of a map; most claims have none
  std::optional<CheckpointClaim> checkpoint;  // there exactly when there are no steps
  std::filesystem::path folder;
};

// The claim in `folder`. SP0601: claim.toml is not TOML (line and column are named). SP0602: a
// field is missing, unknown, empty or of the wrong type. SP0603: a step contradicts its file,
// repeats a name or a file, or relies on no earlier step; a variant repeats a name, names no step,
// or a word of it is none of those it may be. SP0612: words that nothing says (read_sentences), or
// a field `says` that the checkers do not find by lines. SP0604: neither steps nor a table
// [checkpoint]. SP0605: a file of the folder that no step names. SP0608: both steps (or variants)
// and [checkpoint]; SP0609 and SP1302: read_checkpoint_claim. SP0201, SP0501: the folder cannot be
// read. A step whose file is absent is not an error here: anyone who proves the claim says what is
// missing.
exact::Result<Claim> load_claim(const std::filesystem::path& folder);

// Its sentences' texts, one after the other.
std::string statement_of(const Claim& claim);

// The ids of all folders of `proofs` that hold a claim.toml, sorted; names that begin with a point
// are passed over. SP0606: none, or no such folder.
exact::Result<std::vector<std::string>> list_claims(const std::filesystem::path& proofs);

// proofs/<id>. SP0607: `id` is not an id or has no claim.toml there.
exact::Result<std::filesystem::path> find_claim(const std::filesystem::path& proofs,
                                                const std::string& id);

}  // namespace sinkproof::claim
