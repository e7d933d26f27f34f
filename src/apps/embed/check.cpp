#include "sinkproof/check.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "certificate/checkpoint.hpp"
#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certificate/strict.hpp"
#include "check/check.hpp"
#include "check/find.hpp"
#include "check/limits.hpp"

namespace sinkproof {
namespace {

std::optional<check::Limits> limits_of(const CheckOptions& options) {
  if (!options.limits) return std::nullopt;
  return check::Limits{
      std::clamp<std::uint64_t>(options.limits->seconds, 1, check::Limits::kMostSeconds),
      std::clamp<std::uint64_t>(options.limits->memory, 1, check::Limits::kMostMemory)};
}

check::Options options_for_checker(const CheckOptions& options) {
  check::Options made;
  made.models = options.models;
  made.claims = options.claims;
  if (options.trust.smt) made.accept.insert("smt");
  if (options.trust.coq) made.accept.insert("coq");
  if (options.trust.statistical) made.accept.insert("statistical");
  made.limits = limits_of(options);
  return made;
}

CheckOutcome made_public(check::Outcome outcome) {
  CheckOutcome made;
  made.file = std::move(outcome.file);
  made.claim = std::move(outcome.claim);
  made.verdict = std::move(outcome.verdict);
  made.evidence = std::move(outcome.evidence);
  made.reason = std::move(outcome.reason);
  made.code = std::move(outcome.code);
  made.exit_code = outcome.exit_code;
  return made;
}

CheckOutcome failed(const std::string& claim, const exact::Error& error, int exit_code) {
  CheckOutcome outcome;
  outcome.claim = claim;
  outcome.verdict = exit_code == 4 ? "rejected" : "unknown";
  outcome.code = error.code;
  outcome.reason = error.where + ": " + error.what;
  outcome.exit_code = exit_code;
  return outcome;
}

// A certificate is about the claim's text as it is in `folder`.
exact::Result<void> same_claim_text(const json::Value& certificate,
                                    const std::filesystem::path& folder) {
  const auto hash = certificate::claim_hash(folder);
  if (!hash) return tl::unexpected(hash.error());
  const auto stated = certificate.find("claim_sha256");
  if (stated == certificate.end() || *stated != json::Value(*hash)) {
    return exact::fail("SP0901", "claim_sha256",
                       "is not the hash of the claim that was given; check the certificate with "
                       "the claim it was made for");
  }
  return {};
}

CheckOutcome check_envelope(const certificate::Envelope& envelope,
                            const std::vector<std::string>& files, const CheckOptions& options) {
  const bool theory = envelope.kind == certificate::Kind::kTheory;
  const bool language = envelope.kind == certificate::Kind::kLanguage;
  if (theory || language || envelope.kind == certificate::Kind::kCover) {
    return failed(envelope.claim,
                  {"SP0503", "kind",
                   std::string("a ") +
                       (theory     ? "theory"
                        : language ? "language"
                                   : "cover") +
                       " certificate must be checked from its file; call check_file"},
                  2);
  }
  const bool checkpoint = envelope.kind == certificate::Kind::kCheckpoint;
  const std::string claim = checkpoint ? "checkpoint" : "vectors";
  if (envelope.claim != claim) {
    return failed(envelope.claim, {"SP0901", "claim", "must be " + claim}, 4);
  }
  if (checkpoint) {  // an older format before the claim's text, which changed with it
    const auto stated = certificate::read_checkpoint(envelope.value);
    if (!stated && stated.error().code == "SP0505") return failed(claim, stated.error(), 4);
  }
  const auto folder = check::find_claim(claim, options.claims, "certificate");
  if (!folder) return failed(claim, folder.error(), 2);
  if (checkpoint) {  // its form first, as check_file: one of an older format is told so
    const auto stated = certificate::read_checkpoint(envelope.value);
    if (!stated) return failed(claim, stated.error(), 4);
  }
  if (const auto same = same_claim_text(envelope.value, *folder); !same) {
    return failed(claim, same.error(), 4);
  }
  const auto check = [&] {
    return checkpoint ? check::check_checkpoint(envelope.value, files)
                      : check::check_vectors(envelope.value, files);
  };
  const auto limits = limits_of(options);
  CheckOutcome outcome = made_public(limits ? check::within(*limits, check) : check());
  const bool untrusted = outcome.verdict == "statistical" && !options.trust.statistical;
  if (outcome.accepted() && untrusted) outcome.exit_code = 3;
  return outcome;
}

CheckOutcome internal_error(const std::exception& bug) {
  return failed("", {"SP0999", "internal error", bug.what()}, 5);
}

}  // namespace

CheckOutcome check_file(const std::filesystem::path& certificate, const CheckOptions& options) {
  try {
    return made_public(check::check_file(certificate, options_for_checker(options)));
  } catch (const certificate::Rejected& rejected) {
    return failed("", rejected.error, rejected.exit_code);
  } catch (const std::exception& bug) {
    return internal_error(bug);
  }
}

CheckOutcome check_bytes(std::string_view certificate, const std::vector<std::string>& files,
                         const CheckOptions& options) {
  try {
    if (certificate.size() > certificate::kMaxCertificateBytes) {
      return failed("", {"SP0202", "certificate", "is larger than a certificate may be"}, 2);
    }
    const auto envelope = certificate::parse_envelope(certificate, "certificate");
    if (!envelope) return failed("", envelope.error(), 4);
    return check_envelope(*envelope, files, options);
  } catch (const certificate::Rejected& rejected) {
    return failed("", rejected.error, rejected.exit_code);
  } catch (const std::exception& bug) {
    return internal_error(bug);
  }
}

std::string_view version() { return SINKPROOF_VERSION; }

}  // namespace sinkproof
