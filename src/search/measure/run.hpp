// A run of `sinkproof measure` from its request to what was found: the files are read, the
// properties that apply are chosen, every subject is measured, and whatever has a certificate was
// taken by the checker before it is handed on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "measure/accept.hpp"
#include "measure/measure.hpp"
#include "measure/targets.hpp"

namespace sinkproof::measure {

struct Found {
  const Target* target;
  Measurement measurement;
};

struct Run {
  Targets targets;
  std::vector<Found> found;
};

// Called before each subject.
using Progress = std::function<void(const std::string& doing, double share_done)>;

// Nothing is written. SP1507: a property that does not apply; the errors of read_targets, of
// measure() and of PatternRequest, and those of claim::refusal.
exact::Result<Run> run(const RunRequest& request, const std::string& claim_hash,
                       const Accept& accept, const Progress& progress);

}  // namespace sinkproof::measure
