// The rows of a claim that is a map of variants, each with its evidence and, where a checkpoint was
// trained for it, what the trusted checker accepts of that.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "claim/claim.hpp"
#include "report/trained_bounds.hpp"

namespace sinkproof::report {

struct VariantRow {
  claim::Variant variant;
  std::vector<std::string> files;  // of the steps that are its evidence
  std::string status;    // of the trained checkpoint: "accepted", "rejected", "not accepted",
                         // "missing" or, where none is named, ""
  std::string reason;    // why it is not accepted
  TrainedBounds bounds;  // accepted only
  int exit_code = 0;     // the checker's where it rejected or failed (4, 5), else 0
};

// Runs every checkpoint certificate DIR/TRAINED.json through the trusted checker, its model beside
// it; without a folder each is missing. `proofs` holds the claim folders.
std::vector<VariantRow> read_variant_rows(const claim::Claim& claim,
                                          const std::optional<std::filesystem::path>& checkpoints,
                                          const std::filesystem::path& proofs);

}  // namespace sinkproof::report
