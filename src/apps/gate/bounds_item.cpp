#include "gate/bounds_item.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/sha256.hpp"
#include "claim/refusal.hpp"
#include "gate/digits.hpp"
#include "gate/finding.hpp"
#include "output/replace.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::gate {
namespace {

using ci::Finding;
using claim::Requirement;
using exact::Error;
using exact::Rational;
using exact::Result;
using Findings = std::vector<Finding>;

// What the trusted checker accepted.
struct Accepted {
  Stated stated;
  std::string bytes;   // of the certificate, and
  std::string sha256;  // their hash
  bool proved_again = false;
};

const CertifiedBounds* bounds_on(const Stated& stated, const std::string& property) {
  const auto found =
      std::find_if(stated.bounds.begin(), stated.bounds.end(),
                   [&](const CertifiedBounds& one) { return one.property == property; });
  return found == stated.bounds.end() ? nullptr : &*found;
}

// Where one fails, that part; nullptr where all are so.
template <typename Holds>
const Requirement* first_without(const Parts& parts, const Holds& holds) {
  for (const std::vector<Requirement>& requirement : parts) {
    for (const Requirement& part : requirement) {
      if (!holds(part)) return &part;
    }
  }
  return nullptr;
}

// Whether its bounds tell of everything that is asked.
bool decides(const Stated& stated, const Parts& parts) {
  return first_without(parts, [&](const Requirement& part) {
           const CertifiedBounds* bounds = bounds_on(stated, part.property);
           return bounds != nullptr &&
                  claim::decide(part, bounds->lower, bounds->upper) != claim::Verdict::kUnknown;
         }) == nullptr;
}

// The committed certificate: its bounds when they may be used, or why not.
struct Committed {
  std::optional<Accepted> accepted;
  std::string stale;
  std::optional<Error> rejected;
  int exit_code = 4;
};

// Precondition: readable.
Committed check_committed(const Evidence& evidence, const Parts& parts, const Subject& subject) {
  Committed result;
  const auto& envelope = *evidence.envelope;
  const std::string where = subject.request().certificate.string();
  if (envelope.kind != subject.kind()) {
    result.rejected = Error{"SP0503", where,
                            subject.kind() == certificate::Kind::kCover
                                ? "it is not a certificate of a cover"
                                : "it is not a certificate of a checkpoint"};
    return result;
  }
  auto stated = subject.read(envelope.value);
  if (!stated) {
    const Error& error = stated.error();
    if (error.code == "SP0505") {
      result.stale = "its certificate has an older format";
      return result;
    }
    result.rejected = Error{error.code, where + ": " + error.where, error.what};
    return result;
  }
  result.stale = stated->stale;
  if (!result.stale.empty()) return result;
  const check::Outcome outcome = subject.check(envelope.value);
  if (const auto accepted = accept::accepted(outcome); !accepted) {
    result.rejected = Error{accepted.error().code, where, accepted.error().what};
    result.exit_code = outcome.exit_code;
    return result;
  }
  if (!stated->stale_if_open.empty() && !decides(*stated, parts)) {
    result.stale = stated->stale_if_open;
    return result;
  }
  const Requirement* missing = first_without(
      parts, [&](const Requirement& part) { return bounds_on(*stated, part.property) != nullptr; });
  if (missing != nullptr) {
    result.stale = "its certificate does not state " + missing->property;
    return result;
  }
  result.accepted = Accepted{*std::move(stated), evidence.bytes, evidence.sha256, false};
  return result;
}

// Writes a new certificate to `renewed` and reads its bounds.
Result<Accepted> renew(const Subject& subject, const std::vector<Requirement>& requirements,
                       const std::string& why) {
  const std::filesystem::path& renewed = subject.request().renewed;
  const auto made = subject.make(requirements);
  if (!made) return tl::unexpected(made.error());
  const std::string bytes = certificate::certificate_bytes(*made);
  std::error_code error;
  std::filesystem::create_directories(renewed.parent_path(), error);
  if (auto written = output::replace(renewed, bytes); !written) {
    return tl::unexpected(written.error());
  }
  auto stated = subject.read(*made);
  if (!stated) return tl::unexpected(stated.error());
  if (!stated->stale.empty()) {
    return exact::fail("SP0999", renewed.string(), "the model changed during the run");
  }
  stated->how += "; " + why + ", so it was made anew: commit it";
  return Accepted{*std::move(stated), bytes, certificate::sha256_hex(bytes), true};
}

std::string enclosure_text(const CertifiedBounds& bounds) {
  return bounds.property + " in [" + rounded::decimal_down(bounds.lower, kDigits) + ", " +
         rounded::decimal_up(bounds.upper, kDigits) + "]";
}

// One requirement against the accepted bounds.
void compare(Finding& finding, const std::string& asked, const std::vector<Requirement>& parts,
             const Accepted& accepted) {
  const Stated& stated = accepted.stated;
  finding.certificate_sha256 = accepted.sha256;
  finding.proved_again = accepted.proved_again;
  finding.evidence = "exact";
  std::vector<RequirementProof> parts_decided;
  std::string found;
  std::optional<Rational> lower;
  std::optional<Rational> upper;
  for (const Requirement& part : parts) {
    const CertifiedBounds* bounds = bounds_on(stated, part.property);
    if (bounds == nullptr && !stated.stale_if_open.empty()) {
      return leave_open(finding, asked + " is neither proved nor refuted: " + stated.stale_if_open);
    }
    if (bounds == nullptr) {
      return break_off(finding, {"SP0999", finding.certificate,
                                 "the new certificate does not state " + part.property});
    }
    parts_decided.push_back(
        {part, claim::decide(part, bounds->lower, bounds->upper), bounds->lower, bounds->upper});
    found += (found.empty() ? "" : ", ") + enclosure_text(*bounds);
    if (stated.refuted_where) found += stated.refuted_where(parts_decided.back());
    lower = lower ? std::min(*lower, bounds->lower) : bounds->lower;
    upper = upper ? std::max(*upper, bounds->upper) : bounds->upper;
  }
  finding.lower = rounded::decimal_down(*lower, kDigits);
  finding.upper = rounded::decimal_up(*upper, kDigits);
  settle(finding, verdict_of(parts_decided), asked, found + stated.how);
}

}  // namespace

Findings decide_bounds(const Subject& subject, const std::vector<Requirement>& requirements,
                       Findings findings) {
  const auto parts = subject.parts_of(requirements);
  if (!parts) {
    return all(std::move(findings), [&](Finding& each) { lack(each, parts.error()); });
  }
  Evidence evidence = read_evidence(subject.request().certificate);
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
  if (!accepted && subject.request().stale_fails) {
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
  if (subject.request().verified) subject.demand_proved(findings, *parts, accepted->bytes);
  return findings;
}

}  // namespace sinkproof::gate
