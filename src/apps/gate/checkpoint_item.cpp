#include "gate/checkpoint_item.hpp"

#include <utility>

#include "accept/accept.hpp"
#include "certificate/beside_bounds.hpp"
#include "certificate/checkpoint.hpp"
#include "certificate/sha256.hpp"
#include "certify/certify.hpp"
#include "check/check.hpp"
#include "check/limits.hpp"
#include "file/file.hpp"
#include "gate/asked.hpp"
#include "gate/checkpoint_proof.hpp"
#include "gate/finding.hpp"
#include "gate/proved_checker.hpp"
#include "gate/repository.hpp"
#include "gate/share_item.hpp"
#include "model/attention_model.hpp"
#include "model/box_text.hpp"

namespace sinkproof::gate {
namespace {

using certificate::Bound;
using ci::Finding;
using claim::Requirement;
using exact::Error;
using exact::Result;
using Findings = std::vector<Finding>;

// Where the input is that refutes a requirement on one property: ", attained in row 8, ..."; ""
// where no input does.
std::string refuted_where(const RequirementProof& part, const certificate::Checkpoint& stated) {
  const std::string& name = part.requirement.property;
  const bool below = claim::refuted_from_below(part.requirement, part.lower);
  if (part.verdict != claim::Verdict::kRefuted || !claim::is_attained(name, below)) return "";
  const certificate::Property* property = stated.find(name);
  const Bound* bound = property == nullptr ? nullptr : property->bound();
  if (bound != nullptr && !bound->witness) bound = stated.find(bound->from)->bound();
  if (bound == nullptr || !bound->witness) return "";
  const certificate::Witness& at = *bound->witness;
  return ", " + claim::attained_words(name, at.row, at.coordinate, at.trigger);
}

class CheckpointSubject : public Subject {
 public:
  CheckpointSubject(const CheckpointRequest& request, std::string bytes,
                    model::AttentionModel model, std::filesystem::path claims,
                    std::string claim_hash)
      : Subject(request),
        asked_(request),
        bytes_(std::move(bytes)),
        model_(std::move(model)),
        claims_(std::move(claims)),
        claim_hash_(std::move(claim_hash)) {}

  [[nodiscard]] const CheckpointRequest& asked() const { return asked_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] const model::AttentionModel& model() const { return model_; }
  [[nodiscard]] const std::filesystem::path& claims() const { return claims_; }
  [[nodiscard]] const std::string& claim_hash() const { return claim_hash_; }

  [[nodiscard]] certificate::Kind kind() const override { return certificate::Kind::kCheckpoint; }

  [[nodiscard]] Result<Parts> parts_of(
      const std::vector<Requirement>& requirements) const override {
    const auto known = certify::property_names(model_);
    Parts parts;
    for (const Requirement& requirement : requirements) {
      auto expanded = claim::expand(requirement, known, model_.length, "field \"require\"");
      if (!expanded) return tl::unexpected(expanded.error());
      parts.push_back(std::move(*expanded));
    }
    return parts;
  }

  [[nodiscard]] Result<Stated> read(const json::Value& value) const override {
    auto checkpoint = certificate::read_checkpoint(value);
    if (!checkpoint) return tl::unexpected(checkpoint.error());
    Stated stated;
    stated.stale = checkpoint->claim_sha256 == claim_hash_
                       ? why_not_about(*checkpoint, model_)
                       : "its certificate was made for another definition of the properties";
    if (!stated.stale.empty()) return stated;
    if (checkpoint->length != model_.length) {
      const std::string length = std::to_string(checkpoint->length);
      stated.how = "; bounds of length " + length + ", for every length up to it";
      stated.stale_if_open =
          "its certificate is about length " + length + ", whose bounds do not decide this length";
    }
    const auto here = at_length(*std::move(checkpoint), model_.length);
    stated.bounds = bounds_of(here);
    stated.refuted_where = [here](const RequirementProof& part) {
      return refuted_where(part, here);
    };
    return stated;
  }

  [[nodiscard]] check::Outcome check(const json::Value& certificate) const override {
    return check::within(asked_.limits,
                         [&] { return check::check_checkpoint(certificate, {bytes_}); });
  }

  [[nodiscard]] Result<json::Value> make(
      const std::vector<Requirement>& requirements) const override {
    CheckpointOptions options;
    options.claims = claims_;
    options.certificate = asked_.certificate;
    options.jobs = asked_.jobs;
    options.limits = asked_.limits;
    options.progress = asked_.progress;
    claim::CheckpointClaim claim = asked_.claim;
    claim.require = requirements;  // sink-share is none of certify's properties
    auto proof = prove_checkpoint(claim, options);
    if (!proof) return tl::unexpected(proof.error());
    return std::move(proof->certificate);
  }

  // Of each requirement that holds, the sides that it needs.
  void demand_proved(Findings& findings, const Parts& parts,
                     const std::string& certificate) const override {
    const auto said = ask_proved_checker(certificate, bytes_, claims_, asked_.limits);
    for (std::size_t i = 0; i < findings.size(); ++i) {
      std::vector<Statement> needed;
      for (const Requirement& part : parts[i]) {
        if (part.at_least) needed.emplace_back(part.property, "lower");
        if (part.at_most) needed.emplace_back(part.property, "upper");
      }
      gate::demand_proved(findings[i], said, needed);
    }
  }

 private:
  const CheckpointRequest& asked_;
  std::string bytes_;  // the model's
  model::AttentionModel model_;
  std::filesystem::path
      claims_;              // the program's own: a repository says nothing about what is asked
  std::string claim_hash_;  // of the folder checkpoint in it
};

Result<CheckpointSubject> open(const CheckpointRequest& request, const std::string& bytes) {
  auto model = model::read(bytes, request.claim.model.string(), overrides_of(request.claim));
  if (!model) return tl::unexpected(model.error());
  const auto shipped = shipped_folder();
  if (!shipped) return tl::unexpected(shipped.error());
  const std::filesystem::path claims = *shipped / "proofs";
  const auto hash = accept::claim_text_hash("checkpoint", claims, request.certificate);
  if (!hash) return tl::unexpected(hash.error());
  return CheckpointSubject(request, bytes, std::move(*model), claims, *hash);
}

// Every finding says which inputs it is about and, of a model under another reading than its own,
// that reading.
void name_inputs(const model::AttentionModel& model, Findings& findings) {
  const std::string box = model::to_string(model.box, model.d_model - 3);
  const std::string reading = certificate::reading_text(model.overrides, model.scale);
  for (Finding& finding : findings) {
    finding.length = model.length;
    finding.box = box;
    if (reading.empty()) continue;
    finding.overrides = model.overrides;
    finding.assumptions.push_back(reading);
    finding.message += "; " + reading;
  }
}

Findings decide_requirements(const CheckpointSubject& subject, Findings blanks) {
  std::vector<Requirement> certified;
  Findings of_bounds;
  for (std::size_t i = 0; i < blanks.size(); ++i) {
    const Requirement& requirement = subject.asked().claim.require[i];
    if (requirement.property == "sink-share") {
      decide_share(blanks[i], requirement, subject.model(), subject.bytes(), subject.claims(),
                   subject.claim_hash(), subject.asked());
      continue;
    }
    certified.push_back(requirement);
    of_bounds.push_back(blanks[i]);
  }
  if (certified.empty()) return blanks;
  of_bounds = decide_bounds(subject, certified, std::move(of_bounds));
  for (std::size_t i = 0, next = 0; i < blanks.size(); ++i) {
    if (subject.asked().claim.require[i].property != "sink-share") blanks[i] = of_bounds[next++];
  }
  return blanks;
}

}  // namespace

Decision decide_checkpoint(const CheckpointRequest& request, Findings blanks) {
  const auto lacking = [&](const Error& error) {
    return Decision{all(std::move(blanks), [&](Finding& each) { lack(each, error); }), {}};
  };
  const auto bytes = file::read(request.claim.model);
  if (!bytes) return lacking(bytes.error());
  const std::string sha256 = certificate::sha256_hex(*bytes);
  for (Finding& blank : blanks) blank.subject_sha256 = sha256;
  const std::string& recorded = request.claim.sha256;
  if (!recorded.empty() && recorded != sha256) {
    return {all(std::move(blanks), [&](Finding& each) { mismatch(each, recorded, sha256); }), {}};
  }
  const auto subject = open(request, *bytes);
  if (!subject) return lacking(subject.error());
  auto asked = asked_of(request, subject->model(), subject->claim_hash());
  if (!asked) return lacking(asked.error());
  Decision decision{decide_requirements(*subject, std::move(blanks)), *std::move(asked)};
  name_inputs(subject->model(), decision.findings);
  return decision;
}

}  // namespace sinkproof::gate
