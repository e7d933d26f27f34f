// `sinkproof prove`: decides claims, theory claims step by step, and writes a certificate for each
// that holds. Untrusted: what it writes is for check/ and tools/recheck to judge.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "claim/claim.hpp"
#include "claim/verdict.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::prove {

struct ProveRow {
  std::string claim;
  claim::Verdict verdict = claim::Verdict::kUnknown;
  std::string evidence;               // "exact+smt+coq": what the verdict rests on; "" when unknown
  double seconds = 0;                 // summed over its steps
  std::string gap;                    // the step that is missing and why, when not proved
  std::string remark;                 // what else a reader of the verdict has to know
  std::string gap_code;               // of the gap of a holey claim (SP0713); "" for prose
  std::optional<exact::Error> error;  // what went wrong, when something did
  int exit_code = 0;  // docs/DESIGN.md: 0, 1 (a checkpoint claim), 2 (bad claim.toml), 3, 4 (the
                      // checker refuses), or 5 (solvers disagree)
};

struct ProveOptions {
  std::filesystem::path proofs;        // the folder proofs/
  std::filesystem::path certificates;  // where <id>.json goes; created when absent
  std::vector<std::string> ids;        // empty: every claim
  unsigned jobs = 1;                   // steps decided at the same time
  bool sandbox = false;                // run Coq without network, writing to its folder only
  bool restate = false;                // a claim may say something else than its certificate did
  // Called after each step, never at the same time from two threads.
  std::function<void(std::size_t done, std::size_t total, const std::string& step)> progress;
  // Asked about every certificate before it is written: the trusted checker, which this folder
  // must not include. It alone evaluates steps of rule `vectors`; with none given they fail.
  std::function<exact::Result<void>(const json::Value& certificate,
                                    const std::filesystem::path& claim_folder)>
      accept{};
  // Decides a claim about a checkpoint and writes its certificate: what certifies models, which
  // this folder must not include. With none given such a claim is SP0718.
  std::function<ProveRow(const claim::Claim& claim)> checkpoint{};
};

// One row per claim, in the order of their ids (or of options.ids). Proved, bounded and holey
// claims get certificates/<id>.json, the same bytes for the same proofs/ whatever the machine, jobs
// or time; nothing is written for others. SP0606, SP0607: there is nothing to prove, or no such
// claim.
exact::Result<std::vector<ProveRow>> prove_claims(const ProveOptions& options);

}  // namespace sinkproof::prove
