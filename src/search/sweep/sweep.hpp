// Certifies checkpoints: alone or a whole folder, by one process or by shares of a launcher's, in
// one run or several. Units of work are those of certify/unit.hpp, for each checkpoint; what is
// written does not depend on who did them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certify/certify.hpp"
#include "certify/requirements.hpp"
#include "exact/error.hpp"
#include "sweep/plan.hpp"
#include "sweep/share.hpp"

namespace sinkproof::sweep {

enum class Task {
  kCertify,  // all units, and the certificates
  kShare,    // the same beside others with the same journal, each begun elsewhere
  kMerge,    // the certificates of units that are there
};

struct Options {
  Task task = Task::kCertify;
  Share share;                    // of kShare
  std::filesystem::path journal;  // empty: none, for kCertify alone
  std::string program;            // tells apart journals of different programs
  std::filesystem::path output;   // a single checkpoint's certificate, else a folder; or ""
  std::optional<std::filesystem::path> claims;  // as check::find_claim takes it
  unsigned jobs = 1;
  std::function<void(const std::string& doing, double share_done)> progress;
};

// What became of one checkpoint.
struct Outcome {
  Checkpoint checkpoint;
  std::optional<model::AttentionModel> model;
  // Accepted by the trusted checker, and written where an output is named.
  std::optional<certify::Certification> certification;
  std::vector<certify::Decision> decisions;  // of what the plan requires
  std::optional<exact::Error> error;
  std::vector<std::string> missing;  // units that the journal lacks
  std::filesystem::path unwritten;   // the certificate of which nothing is decided; or ""
  int exit_code = 0;                 // docs/DESIGN.md; of a share always 0 unless it was not done
};

// In the order of the plan. SP0203: the folder of the certificates cannot be made; the errors of
// accept::claim_text_hash. Of a checkpoint: SP1905, its file is another than the plan's; those of
// reading and certifying it.
exact::Result<std::vector<Outcome>> run(const Plan& plan, Options options);

}  // namespace sinkproof::sweep
