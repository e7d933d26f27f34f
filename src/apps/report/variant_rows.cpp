#include "report/variant_rows.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/beside_bounds.hpp"
#include "certificate/envelope.hpp"
#include "check/check.hpp"
#include "report/checkpoint_reading.hpp"

namespace sinkproof::report {
namespace {

namespace fs = std::filesystem;

// Reads what the checker has just accepted.
void read_bounds(const fs::path& path, VariantRow& row) {
  row.status = "not accepted";
  const auto envelope = certificate::read_envelope(path);
  if (!envelope) {
    row.reason = envelope.error().what;
    return;
  }
  const auto checkpoint = read_checkpoint(envelope->value, path.filename().string());
  if (!checkpoint) {
    row.reason = checkpoint.error().where + ": " + checkpoint.error().what;
    return;
  }
  if (!row.variant.attention.empty() && checkpoint->attention != row.variant.attention) {
    row.reason = "its attention is " + checkpoint->attention + ", not this variant's";
    return;
  }
  row.status = "accepted";
  row.reason = certificate::reading_text(checkpoint->overrides, checkpoint->scale);
  row.bounds = trained_bounds(*checkpoint);
}

void check_trained(const std::optional<fs::path>& folder, const fs::path& proofs, VariantRow& row) {
  const std::string& stem = row.variant.trained;
  if (stem.empty()) return;
  std::error_code ignored;
  row.status = "missing";
  if (!folder) {
    row.reason = "no folder of checkpoint certificates: name it with --checkpoints";
    return;
  }
  const fs::path path = *folder / (stem + ".json");
  if (!fs::exists(path, ignored)) {
    row.reason = "no " + path.string();
    return;
  }
  check::Options options;
  options.claims = proofs;
  const check::Outcome outcome = check::check_file(path, options);
  const auto accepted = accept::accepted(outcome);
  if (accepted && outcome.claim == "checkpoint") return read_bounds(path, row);
  row.status = outcome.exit_code == 4 ? "rejected" : "not accepted";
  row.reason = accepted ? "it is not a checkpoint certificate" : accepted.error().what;
  if (outcome.exit_code >= 4) row.exit_code = outcome.exit_code;
}

}  // namespace

std::vector<VariantRow> read_variant_rows(const claim::Claim& claim,
                                          const std::optional<fs::path>& checkpoints,
                                          const fs::path& proofs) {
  std::vector<VariantRow> rows;
  for (const claim::Variant& variant : claim.variants) {
    VariantRow row;
    row.variant = variant;
    for (const claim::Step& step : claim.steps) {
      const auto& names = variant.evidence;
      if (std::count(names.begin(), names.end(), step.name) > 0) row.files.push_back(step.file);
    }
    check_trained(checkpoints, proofs, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace sinkproof::report
