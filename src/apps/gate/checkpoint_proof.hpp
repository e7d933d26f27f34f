// Decides a claim about a checkpoint: certifies the model, has the trusted checker accept the
// certificate, and decides the claim's thresholds from the bounds the accepted certificate states.
// `sinkproof prove` and the gate both ask here, so that one threshold has one verdict.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "check/check.hpp"
#include "claim/claim.hpp"
#include "claim/verdict.hpp"
#include "exact/error.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"
#include "model/attention_model.hpp"
#include "prove/prove.hpp"

namespace sinkproof::gate {

// What the claim says against the model file's metadata.
model::Overrides overrides_of(const claim::CheckpointClaim& claim);

// Why a checkpoint certificate is not about this model, as read: another file, a smaller
// length, trigger positions that are not all there are, another form of attention or reading of the
// metadata; "" when it does.
std::string why_not_about(const certificate::Checkpoint& stated,
                          const model::AttentionModel& model);

// What a certificate says of sequences of a length up to its own (CHECKPOINT_RULES.md, 4.20): its
// bounds; on the other side what its witness attains if it is as short, else what is true of every
// model. Properties of which nothing is are left out.
certificate::Checkpoint at_length(certificate::Checkpoint stated, std::size_t length);

struct CheckpointOptions {
  // The folder that holds proofs/checkpoint; with none it is looked for as check::find_claim does:
  // beside the certificate, in ./proofs, then beside the program.
  std::optional<std::filesystem::path> claims;
  std::filesystem::path certificate;  // the file the certificate will be written to
  std::string require_field;          // where the thresholds are written, for errors; "": the model
  unsigned jobs = 1;                  // threads; the result does not depend on it
  check::Limits limits;               // of the check of a certificate that is there
  std::uint64_t seed = 0;             // of the attack
  // Called before each property, never at the same time from two threads.
  std::function<void(const std::string& doing, double share_done)> progress;
};

// What an accepted certificate says of one property, and hence of one threshold on it.
struct RequirementProof {
  claim::Requirement requirement;  // on a single property; the text is the claim's own
  claim::Verdict verdict = claim::Verdict::kUnknown;  // kProved, kRefuted or kUnknown
  exact::Rational lower;                              // lower <= the property's value <= upper,
  exact::Rational upper;                              // one side certified, the other attained
};

// The bounds of one property of a checkpoint certificate, as the certificate states them.
struct CertifiedBounds {
  std::string property;
  exact::Rational lower;
  exact::Rational upper;
};

struct CheckpointProof {
  json::Value certificate;  // accepted by the trusted checker; the bytes `certify -o` writes
  std::string model_sha256;
  std::size_t length = 0;                      // of the sequences the bounds hold for
  std::vector<CertifiedBounds> properties;     // in the certificate's order
  std::vector<RequirementProof> requirements;  // in the claim's order, expanded; at least one
  claim::Verdict verdict = claim::Verdict::kUnknown;  // of all: refuted, else unknown, else proved
  std::vector<std::string> overrides;  // metadata keys read otherwise than the model file says
  exact::Rational scale = 1;           // of its logits
  double seconds = 0;
};

// The properties with bounds, of all heads together.
std::vector<CertifiedBounds> bounds_of(const certificate::Checkpoint& stated);

// Those of a checkpoint certificate the trusted checker has accepted.
// The errors of certificate::read_checkpoint.
exact::Result<std::vector<CertifiedBounds>> certified_bounds(const json::Value& certificate);

// Every requirement, expanded over the properties there are (`known`, claim::expand), and what the
// certified bounds decide. SP1302, SP1314: one names no such property; SP0801: it needs one
// that the certificate does not state (a part that is not stated is not decided). `where` names the
// field the requirements came from.
exact::Result<std::vector<RequirementProof>> decide_requirements(
    const std::vector<claim::Requirement>& require, const std::vector<std::string>& known,
    std::size_t length, const std::vector<CertifiedBounds>& properties, const std::string& where);

// kRefuted when a requirement is refuted, else kUnknown when one is not decided, else kProved.
claim::Verdict verdict_of(const std::vector<RequirementProof>& requirements);

// Errors of reading the model (SP02xx, SP04xx, SP11xx) and of certify (SP14xx, SP1303, SP1304);
// SP0610: the model is not the pinned one; SP1302: a threshold on a property the model has not;
// SP0904: proofs/checkpoint is not found. Nothing is written.
exact::Result<CheckpointProof> prove_checkpoint(const claim::CheckpointClaim& claim,
                                                const CheckpointOptions& options);

// What a certificate on disk says of a claim, without a search.
struct CheckedCheckpoint {
  check::Outcome outcome;                      // the trusted checker's
  std::vector<RequirementProof> requirements;  // empty unless the checker accepted
  claim::Verdict verdict = claim::Verdict::kUnknown;
};

// Has options.certificate checked, and decides the claim's thresholds from it. SP0801: it is for
// another model, length, kind of attention or reading of the metadata than the claim's: stale, run
// `sinkproof prove`. The
// errors of prove_checkpoint about the model and the thresholds. An absent or rejected certificate
// is not an error but an outcome.
exact::Result<CheckedCheckpoint> check_checkpoint(const claim::CheckpointClaim& claim,
                                                  const CheckpointOptions& options);

// prove_checkpoint for a claim of proofs/, as a row of `sinkproof prove`; writes
// options.certificate whatever the verdict, for the bounds hold. Refuted and unknown rows carry
// SP0611. Precondition: claim.checkpoint is there.
prove::ProveRow prove_checkpoint_claim(const claim::Claim& claim, const CheckpointOptions& options);

}  // namespace sinkproof::gate
