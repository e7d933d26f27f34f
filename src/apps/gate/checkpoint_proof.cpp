#include "gate/checkpoint_proof.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/beside_bounds.hpp"
#include "certificate/envelope.hpp"
#include "certificate/sha256.hpp"
#include "certify/accepted.hpp"
#include "check/check.hpp"
#include "claim/refusal.hpp"
#include "file/file.hpp"
#include "model/box_text.hpp"
#include "output/replace.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::gate {
namespace {

using certificate::Bound;
using certificate::Property;
using claim::Verdict;
using exact::Result;

constexpr unsigned kShownDigits = 6;

struct ReadModel {
  model::AttentionModel model;
  std::string bytes;
};

Result<ReadModel> read_model(const claim::CheckpointClaim& claim) {
  auto bytes = file::read(claim.model);
  if (!bytes) return tl::unexpected(bytes.error());
  const std::string sha256 = certificate::sha256_hex(*bytes);
  if (!claim.sha256.empty() && claim.sha256 != sha256) {
    return exact::fail(
        "SP0610", claim.model.string(),
        "this file's SHA-256 is " + sha256 +
            ", but the claim pins another one; use that model, or write this hash into claim.toml");
  }
  auto model = model::read(*bytes, claim.model.string(), overrides_of(claim));
  if (!model) return tl::unexpected(model.error());
  return ReadModel{std::move(*model), std::move(*bytes)};
}

std::string require_field(const claim::CheckpointClaim& claim, const CheckpointOptions& options) {
  return options.require_field.empty() ? claim.model.string() : options.require_field;
}

std::string list_of(const std::vector<std::string>& keys) {
  std::string list;
  for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + key;
  return list.empty() ? "nothing" : list;
}

// A threshold on a property the model has not is known before the search begins.
Result<void> expandable(const claim::CheckpointClaim& claim, const model::AttentionModel& model,
                        const std::string& where) {
  const auto known = certify::property_names(model);
  for (const claim::Requirement& requirement : claim.require) {
    if (auto parts = claim::expand(requirement, known, model.length, where); !parts) {
      return tl::unexpected(parts.error());
    }
  }
  return {};
}

Result<json::Value> certify_model(const model::AttentionModel& model, const std::string& bytes,
                                  const CheckpointOptions& options) {
  const auto hash = accept::claim_text_hash("checkpoint", options.claims, options.certificate);
  if (!hash) return tl::unexpected(hash.error());
  certify::Options search;
  search.seed = options.seed;
  search.jobs = options.jobs;
  search.progress = options.progress;
  search.claim_hash = *hash;
  auto certification = certify::certify_accepted(model, search, [&](const json::Value& made) {
    return accept::accepted(check::check_checkpoint(made, {bytes}));
  });
  if (!certification) return tl::unexpected(certification.error());
  return certification->certificate();
}

// "sup-loss<=0.001 is refuted: sup-loss is at least 0.0251"
std::string told(const RequirementProof& proof) {
  const claim::Requirement& asked = proof.requirement;
  return asked.text + " is " + (proof.verdict == Verdict::kRefuted ? "refuted" : "not decided") +
         ": certified " + asked.property + " is in [" +
         rounded::decimal_down(proof.lower, kShownDigits) + ", " +
         rounded::decimal_up(proof.upper, kShownDigits) + "]";
}

std::string field_of(const claim::Claim& claim) {
  return (claim.folder / "claim.toml").string() + ": [checkpoint]: field \"require\"";
}

void set_undecided(const claim::Claim& claim, const CheckpointProof& proof, prove::ProveRow& row) {
  if (proof.verdict == Verdict::kProved) return;
  const auto same = [&](const RequirementProof& one) { return one.verdict == proof.verdict; };
  const auto found = std::find_if(proof.requirements.begin(), proof.requirements.end(), same);
  row.gap = told(*found);
  row.error =
      exact::Error{"SP0611", field_of(claim), row.gap + "; require less, or train a better model"};
}

}  // namespace

model::Overrides overrides_of(const claim::CheckpointClaim& claim) {
  model::Overrides overrides;
  overrides.length = claim.length;
  if (!claim.attention.empty()) overrides.attention = claim.attention;
  overrides.num_heads = claim.num_heads;
  overrides.num_layers = claim.num_layers;
  overrides.residual = claim.residual;
  if (!claim.scale.empty()) overrides.scale = claim.scale;
  if (!claim.box.empty()) overrides.box = claim.box;
  return overrides;
}

std::string why_not_about(const certificate::Checkpoint& stated,
                          const model::AttentionModel& model) {
  const certificate::ModelReading& named = stated.model;
  if (named.sha256 != model.sha256) {
    return "its certificate is about the model with SHA-256 " + named.sha256 +
           ", but the file's is " + model.sha256;
  }
  if (!stated.over_box) return "its certificate is about given inputs";
  if (stated.length < model.length) {
    return "its certificate is about length " + std::to_string(stated.length);
  }
  if (stated.first_trigger != 3 || stated.last_trigger < model.length) {
    return "its certificate is about triggers at positions " +
           std::to_string(stated.first_trigger) + " to " + std::to_string(stated.last_trigger);
  }
  const std::size_t noise = model.d_model - 3;
  if (named.d_model == model.d_model &&
      model::to_string(stated.box, noise) != model::to_string(model.box, noise)) {
    return "its certificate is about the noise box " + model::to_string(stated.box, noise);
  }
  if (named.overrides != model.overrides) {
    return "its certificate reads " + list_of(named.overrides) +
           " differently from the model file's metadata, and the requirement reads " +
           list_of(model.overrides) + " differently";
  }
  if (named.scale != model.scale) {
    return "its certificate is about " + certificate::scale_text(named.scale) +
           ", and the requirement about " + certificate::scale_text(model.scale);
  }
  if (named.attention != model.attention || named.num_heads != model.num_heads ||
      named.num_layers != model.layers.size() || named.residual != model.residual ||
      named.d_model != model.d_model) {
    return "its certificate is about another form of attention";
  }
  return "";
}

certificate::Checkpoint at_length(certificate::Checkpoint stated, std::size_t length) {
  if (stated.length == length) return stated;
  const certificate::AttentionKind& kind = certificate::kind_of(stated.model.attention);
  const certificate::Checkpoint whole = stated;
  const auto fits = [&](const Bound& bound) {
    const auto& witness = bound.rows ? bound.witness : whole.find(bound.from)->bound()->witness;
    return std::max(witness->row, witness->trigger) <= length;
  };
  // Nothing attains the other side any more: a share is at most 1, and no loss or weight below 0.
  const auto is_nothing = [&](Property& property) {
    auto* bound = std::get_if<Bound>(&property.content);
    if (bound == nullptr || fits(*bound)) return false;
    bound->witness.reset();
    if (certificate::is_floor(bound->readout)) {
      bound->upper = 1;
      return !kind.normalised;
    }
    bound->lower = 0;
    return kind.is_signed() && bound->readout != certificate::Readout::kLoss;
  };
  std::erase_if(stated.properties, is_nothing);
  stated.length = length;
  return stated;
}

std::vector<CertifiedBounds> bounds_of(const certificate::Checkpoint& stated) {
  std::vector<CertifiedBounds> all;
  for (const certificate::Property& property : stated.properties) {
    const certificate::Bound* bound = property.bound();
    if (bound == nullptr || bound->head) continue;
    all.push_back({property.name, bound->lower, bound->upper});
  }
  return all;
}

Result<std::vector<CertifiedBounds>> certified_bounds(const json::Value& certificate) {
  const auto stated = certificate::read_checkpoint(certificate);
  if (!stated) return tl::unexpected(stated.error());
  return bounds_of(*stated);
}

Result<std::vector<RequirementProof>> decide_requirements(
    const std::vector<claim::Requirement>& require, const std::vector<std::string>& known,
    std::size_t length, const std::vector<CertifiedBounds>& properties, const std::string& where) {
  std::vector<RequirementProof> decided;
  for (const claim::Requirement& requirement : require) {
    const auto parts = claim::expand(requirement, known, length, where);
    if (!parts) return tl::unexpected(parts.error());
    for (const claim::Requirement& part : *parts) {
      const auto same = [&](const CertifiedBounds& one) { return one.property == part.property; };
      const auto found = std::find_if(properties.begin(), properties.end(), same);
      if (found == properties.end()) {
        return exact::fail("SP0801", where,
                           "the certificate does not state " + part.property + ", which \"" +
                               part.text + "\" needs; make it again with `sinkproof prove ID`");
      }
      decided.push_back(
          {part, claim::decide(part, found->lower, found->upper), found->lower, found->upper});
    }
  }
  return decided;
}

Verdict verdict_of(const std::vector<RequirementProof>& requirements) {
  for (const Verdict verdict : {Verdict::kRefuted, Verdict::kUnknown}) {
    for (const RequirementProof& proof : requirements) {
      if (proof.verdict == verdict) return verdict;
    }
  }
  return Verdict::kProved;
}

Result<CheckpointProof> prove_checkpoint(const claim::CheckpointClaim& claim,
                                         const CheckpointOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::string where = require_field(claim, options);
  const auto read = read_model(claim);
  if (!read) return tl::unexpected(read.error());
  const auto& [model, bytes] = *read;
  if (auto fits = expandable(claim, model, where); !fits) return tl::unexpected(fits.error());
  auto certificate = certify_model(model, bytes, options);
  if (!certificate) return tl::unexpected(certificate.error());
  CheckpointProof proof;
  auto properties = certified_bounds(*certificate);
  if (!properties) return tl::unexpected(properties.error());
  auto requirements = decide_requirements(claim.require, certify::property_names(model),
                                          model.length, *properties, where);
  if (!requirements) return tl::unexpected(requirements.error());
  proof.certificate = std::move(*certificate);
  proof.model_sha256 = model.sha256;
  proof.length = model.length;
  proof.overrides = model.overrides;
  proof.scale = model.scale;
  proof.properties = std::move(*properties);
  proof.verdict = verdict_of(*requirements);
  proof.requirements = std::move(*requirements);
  proof.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return proof;
}

Result<CheckedCheckpoint> check_checkpoint(const claim::CheckpointClaim& claim,
                                           const CheckpointOptions& options) {
  const auto model = read_model(claim);
  if (!model) return tl::unexpected(model.error());
  check::Options trusted;
  trusted.claims = options.claims;
  trusted.limits = options.limits;
  trusted.models = claim.model.has_parent_path() ? claim.model.parent_path() : ".";
  CheckedCheckpoint checked;
  checked.outcome = check::check_file(options.certificate, trusted);
  if (!accept::accepted(checked.outcome)) return checked;
  const auto envelope = certificate::read_envelope(options.certificate);
  if (!envelope) return tl::unexpected(envelope.error());
  const auto stated = certificate::read_checkpoint(envelope->value);
  const std::string why =
      stated ? why_not_about(*stated, model->model) : "it is not a certificate of a checkpoint";
  if (!why.empty()) {
    return exact::fail("SP0801", options.certificate.string(),
                       why + "; run `sinkproof prove " + options.certificate.stem().string() + "`");
  }
  auto requirements = decide_requirements(
      claim.require, certify::property_names(model->model), model->model.length,
      bounds_of(at_length(*stated, model->model.length)), require_field(claim, options));
  if (!requirements) return tl::unexpected(requirements.error());
  checked.verdict = verdict_of(*requirements);
  checked.requirements = std::move(*requirements);
  return checked;
}

prove::ProveRow prove_checkpoint_claim(const claim::Claim& claim,
                                       const CheckpointOptions& options) {
  prove::ProveRow row;
  row.claim = claim.id;
  const auto set_error = [&](const exact::Error& error) {
    row.verdict = Verdict::kUnknown;
    row.error = error;
    row.gap = error.where + ": " + error.what;
    row.exit_code = claim::exit_code_of(error);
  };
  CheckpointOptions named = options;
  named.require_field = field_of(claim);
  const auto proof = prove_checkpoint(*claim.checkpoint, named);
  if (!proof) return set_error(proof.error()), row;
  row.verdict = proof->verdict;
  row.evidence = proof->verdict == Verdict::kUnknown ? "" : "exact";
  row.seconds = proof->seconds;
  row.exit_code = claim::exit_code(proof->verdict);
  row.remark = certificate::reading_text(proof->overrides, proof->scale);
  set_undecided(claim, *proof, row);
  const auto bytes = certificate::certificate_bytes(proof->certificate);
  if (auto written = output::replace(options.certificate, bytes); !written) {
    set_error(written.error());
  }
  return row;
}

}  // namespace sinkproof::gate
