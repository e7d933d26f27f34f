#include "gate/checkpoint_item.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/beside_bounds.hpp"
#include "certificate/checkpoint.hpp"
#include "certificate/envelope.hpp"
#include "certificate/sha256.hpp"
#include "certify/certify.hpp"
#include "check/check.hpp"
#include "check/limits.hpp"
#include "claim/refusal.hpp"
#include "file/file.hpp"
#include "gate/asked.hpp"
#include "gate/checkpoint_proof.hpp"
#include "gate/digits.hpp"
#include "gate/evidence.hpp"
#include "gate/finding.hpp"
#include "gate/proved_checker.hpp"
#include "gate/repository.hpp"
#include "gate/share_item.hpp"
#include "model/attention_model.hpp"
#include "model/box_text.hpp"
#include "output/replace.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::gate {
namespace {

using certificate::Bound;
using ci::Finding;
using claim::Requirement;
using exact::Error;
using exact::Rational;
using exact::Result;
using Findings = std::vector<Finding>;

struct Subject {
  const CheckpointRequest& request;
  std::string bytes;  // the model's
  model::AttentionModel model;
  std::filesystem::path claims;  // the program's own: a repository says nothing about what is asked
  std::string claim_hash;        // of the folder checkpoint in it
};

// The bounds the trusted checker accepted, by the names of their properties.
struct Accepted {
  certificate::Checkpoint checkpoint;
  std::string bytes;   // of the certificate, and
  std::string sha256;  // their hash
  std::string how;     // "", or why it was made anew
  bool proved_again = false;
};

// Each requirement as requirements on single properties.
using Parts = std::vector<std::vector<Requirement>>;

template <typename Set>
Findings all(Findings findings, const Set& set) {
  for (Finding& finding : findings) set(finding);
  return findings;
}

// Why the certificate is not about this model as sinkproof.toml describes it; "" when it does.
std::string reason_stale(const certificate::Checkpoint& stated, const Subject& subject) {
  if (stated.claim_sha256 != subject.claim_hash) {
    return "its certificate was made for another definition of the properties";
  }
  return why_not_about(stated, subject.model);
}

const Bound* bound_of(const certificate::Checkpoint& stated, const std::string& name) {
  const certificate::Property* property = stated.find(name);
  return property == nullptr ? nullptr : property->bound();
}

// The first property asked for that the certificate does not state; "" when it states them all.
std::string missing_property(const certificate::Checkpoint& checkpoint, const Parts& parts) {
  for (const std::vector<Requirement>& requirement : parts) {
    for (const Requirement& part : requirement) {
      if (bound_of(checkpoint, part.property) == nullptr) return part.property;
    }
  }
  return "";
}

// Whether its bounds tell of everything that is asked.
bool decides(const certificate::Checkpoint& checkpoint, const Parts& parts) {
  for (const std::vector<Requirement>& requirement : parts) {
    for (const Requirement& part : requirement) {
      const Bound* bound = bound_of(checkpoint, part.property);
      if (bound == nullptr ||
          claim::decide(part, bound->lower, bound->upper) == claim::Verdict::kUnknown) {
        return false;
      }
    }
  }
  return true;
}

// The committed certificate: its bounds when they may be used, or why not. Precondition: readable.
struct Committed {
  std::optional<Accepted> accepted;
  std::string stale;
  std::optional<Error> rejected;
  int exit_code = 4;
};

Committed check_committed(const Evidence& evidence, const Parts& parts, const Subject& subject) {
  Committed result;
  const auto& envelope = *evidence.envelope;
  const std::string where = subject.request.certificate.string();
  if (envelope.kind != certificate::Kind::kCheckpoint) {
    result.rejected = Error{"SP0503", where, "it is not a certificate of a checkpoint"};
    return result;
  }
  auto stated = certificate::read_checkpoint(envelope.value);
  if (!stated) {
    const Error& error = stated.error();
    if (error.code == "SP0505") {
      result.stale = "its certificate has an older format";
      return result;
    }
    result.rejected = Error{error.code, where + ": " + error.where, error.what};
    return result;
  }
  result.stale = reason_stale(*stated, subject);
  if (!result.stale.empty()) return result;
  const check::Outcome outcome = check::within(subject.request.limits, [&] {
    return check::check_checkpoint(envelope.value, {subject.bytes});
  });
  if (const auto accepted = accept::accepted(outcome); !accepted) {
    result.rejected = Error{accepted.error().code, where, accepted.error().what};
    result.exit_code = outcome.exit_code;
    return result;
  }
  if (const std::string name = missing_property(*stated, parts); !name.empty()) {
    result.stale = "its certificate does not state " + name;
    return result;
  }
  const std::size_t length = stated->length;
  Accepted accepted{at_length(*std::move(stated), subject.model.length), evidence.bytes,
                    evidence.sha256, "", false};
  if (length != subject.model.length) {
    accepted.how = "; bounds of length " + std::to_string(length) + ", for every length up to it";
    if (!decides(accepted.checkpoint, parts)) {
      result.stale = "its certificate is about length " + std::to_string(length) +
                     ", whose bounds do not decide this length";
      return result;
    }
  }
  result.accepted = std::move(accepted);
  return result;
}

// Certifies the model, writes the certificate to `renewed` and reads its bounds.
Result<Accepted> renew(const Subject& subject, const std::vector<Requirement>& requirements,
                       const std::string& why) {
  const CheckpointRequest& request = subject.request;
  CheckpointOptions options;
  options.claims = subject.claims;
  options.certificate = request.certificate;
  options.jobs = request.jobs;
  options.limits = request.limits;
  options.progress = request.progress;
  claim::CheckpointClaim claim = request.claim;
  claim.require = requirements;  // sink-share is none of certify's properties
  const auto proof = prove_checkpoint(claim, options);
  if (!proof) return tl::unexpected(proof.error());
  const std::string bytes = certificate::certificate_bytes(proof->certificate);
  std::error_code error;
  std::filesystem::create_directories(request.renewed.parent_path(), error);
  if (auto written = output::replace(request.renewed, bytes); !written) {
    return tl::unexpected(written.error());
  }
  auto stated = certificate::read_checkpoint(proof->certificate);
  if (!stated) return tl::unexpected(stated.error());
  if (!reason_stale(*stated, subject).empty()) {
    return exact::fail("SP0999", request.renewed.string(), "the model changed during the run");
  }
  return Accepted{std::move(*stated), bytes, certificate::sha256_hex(bytes),
                  "; " + why + ", so it was made anew: commit it", true};
}

std::string enclosure_text(const std::string& name, const Bound& bound) {
  return name + " in [" + rounded::decimal_down(bound.lower, kDigits) + ", " +
         rounded::decimal_up(bound.upper, kDigits) + "]";
}

// Where the input is that refutes a requirement on one property: ", attained in row 8, ..."; ""
// where no input does.
std::string refuted_where(const RequirementProof& part, const certificate::Checkpoint& stated) {
  const std::string& name = part.requirement.property;
  const bool below = claim::refuted_from_below(part.requirement, part.lower);
  if (part.verdict != claim::Verdict::kRefuted || !claim::is_attained(name, below)) return "";
  const Bound* bound = bound_of(stated, name);
  if (bound != nullptr && !bound->witness) bound = bound_of(stated, bound->from);
  if (bound == nullptr || !bound->witness) return "";
  const certificate::Witness& at = *bound->witness;
  return ", " + claim::attained_words(name, at.row, at.coordinate, at.trigger);
}

// One requirement against the accepted bounds.
void compare(Finding& finding, const std::string& asked, const std::vector<Requirement>& parts,
             const Accepted& accepted) {
  finding.certificate_sha256 = accepted.sha256;
  finding.proved_again = accepted.proved_again;
  finding.evidence = "exact";
  std::vector<RequirementProof> parts_decided;
  std::string found;
  std::optional<Rational> lower;
  std::optional<Rational> upper;
  for (const Requirement& part : parts) {
    const Bound* bound = bound_of(accepted.checkpoint, part.property);
    if (bound == nullptr) {
      return break_off(finding, {"SP0999", finding.certificate,
                                 "the new certificate does not state " + part.property});
    }
    parts_decided.push_back(
        {part, claim::decide(part, bound->lower, bound->upper), bound->lower, bound->upper});
    found += (found.empty() ? "" : ", ") + enclosure_text(part.property, *bound) +
             refuted_where(parts_decided.back(), accepted.checkpoint);
    lower = lower ? std::min(*lower, bound->lower) : bound->lower;
    upper = upper ? std::max(*upper, bound->upper) : bound->upper;
  }
  finding.lower = rounded::decimal_down(*lower, kDigits);
  finding.upper = rounded::decimal_up(*upper, kDigits);
  settle(finding, verdict_of(parts_decided), asked, found + accepted.how);
}

// `checker = "verified"`: of each requirement that holds, the sides that it needs.
void demand_proved_parts(Findings& findings, const Parts& parts, const Accepted& accepted,
                         const Subject& subject) {
  const auto check =
      ask_proved_checker(accepted.bytes, subject.bytes, subject.claims, subject.request.limits);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    std::vector<Statement> needed;
    for (const Requirement& part : parts[i]) {
      if (part.at_least) needed.emplace_back(part.property, "lower");
      if (part.at_most) needed.emplace_back(part.property, "upper");
    }
    demand_proved(findings[i], check, needed);
  }
}

// SP1302: the model has no such property.
Result<Parts> parts_of(const std::vector<Requirement>& requirements, const Subject& subject) {
  const auto known = certify::property_names(subject.model);
  Parts parts;
  for (const Requirement& requirement : requirements) {
    auto expanded = claim::expand(requirement, known, subject.model.length, "field \"require\"");
    if (!expanded) return tl::unexpected(expanded.error());
    parts.push_back(std::move(*expanded));
  }
  return parts;
}

// The findings of requirements on certified properties.
Findings decide_bounds(const Subject& subject, const std::vector<Requirement>& requirements,
                       Findings findings) {
  const auto parts = parts_of(requirements, subject);
  if (!parts) {
    return all(std::move(findings), [&](Finding& each) { lack(each, parts.error()); });
  }
  Evidence evidence = read_evidence(subject.request.certificate);
  for (Finding& finding : findings) finding.certificate_sha256 = evidence.sha256;
  std::optional<Accepted> accepted;
  if (evidence.state == Evidence::State::kBroken) {
    return all(std::move(findings), [&](Finding& each) { reject(each, evidence.error); });
  }
  if (evidence.state == Evidence::State::kReadable) {
    Committed committed = check_committed(evidence, *parts, subject);
    if (committed.rejected) {
      return all(std::move(findings),
                 [&](Finding& each) { fail_with(each, committed.exit_code, *committed.rejected); });
    }
    accepted = std::move(committed.accepted);
    if (!accepted) evidence = stale(std::move(evidence), committed.stale);
  }
  if (!accepted && subject.request.stale_fails) {
    return all(std::move(findings), [&](Finding& each) { call_stale(each, evidence); });
  }
  if (!accepted) {
    auto renewed = renew(subject, requirements, evidence.reason);
    if (!renewed) {
      const int exit_code =
          renewed.error().code == "SP0999" ? 5 : claim::exit_code_of(renewed.error());
      return all(std::move(findings),
                 [&](Finding& each) { fail_with(each, exit_code, renewed.error()); });
    }
    accepted = std::move(*renewed);
  }
  for (std::size_t i = 0; i < findings.size(); ++i) {
    compare(findings[i], requirements[i].text, (*parts)[i], *accepted);
  }
  if (subject.request.verified) demand_proved_parts(findings, *parts, *accepted, subject);
  return findings;
}

Result<Subject> open(const CheckpointRequest& request, const std::string& bytes) {
  auto model = model::read(bytes, request.claim.model.string(), overrides_of(request.claim));
  if (!model) return tl::unexpected(model.error());
  const auto shipped = shipped_folder();
  if (!shipped) return tl::unexpected(shipped.error());
  const std::filesystem::path claims = *shipped / "proofs";
  const auto hash = accept::claim_text_hash("checkpoint", claims, request.certificate);
  if (!hash) return tl::unexpected(hash.error());
  return Subject{request, bytes, std::move(*model), claims, *hash};
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

Findings decide_requirements(const Subject& subject, Findings blanks) {
  std::vector<Requirement> certified;
  Findings of_bounds;
  for (std::size_t i = 0; i < blanks.size(); ++i) {
    const Requirement& requirement = subject.request.claim.require[i];
    if (requirement.property == "sink-share") {
      decide_share(blanks[i], requirement, subject.model, subject.bytes, subject.claims,
                   subject.claim_hash, subject.request);
      continue;
    }
    certified.push_back(requirement);
    of_bounds.push_back(blanks[i]);
  }
  if (certified.empty()) return blanks;
  of_bounds = decide_bounds(subject, certified, std::move(of_bounds));
  for (std::size_t i = 0, next = 0; i < blanks.size(); ++i) {
    if (subject.request.claim.require[i].property != "sink-share") blanks[i] = of_bounds[next++];
  }
  return blanks;
}

}  // namespace

CheckpointDecision decide_checkpoint(const CheckpointRequest& request, Findings blanks) {
  const auto lacking = [&](const Error& error) {
    return CheckpointDecision{all(std::move(blanks), [&](Finding& each) { lack(each, error); }),
                              {}};
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
  auto asked = asked_of(request, subject->model, subject->claim_hash);
  if (!asked) return lacking(asked.error());
  CheckpointDecision decision{decide_requirements(*subject, std::move(blanks)), *std::move(asked)};
  name_inputs(subject->model, decision.findings);
  return decision;
}

}  // namespace sinkproof::gate
