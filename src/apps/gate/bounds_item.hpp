// What the items of sinkproof.toml that have thresholds share, whatever their model is: the
// committed certificate is checked and the thresholds are compared with the bounds the checker
// accepted, exactly. A certificate that is missing or stale is made anew.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "certificate/envelope.hpp"
#include "check/check.hpp"
#include "ci/summary.hpp"
#include "claim/requirement.hpp"
#include "exact/error.hpp"
#include "gate/checkpoint_proof.hpp"
#include "gate/evidence.hpp"
#include "gate/lock.hpp"
#include "json/strict.hpp"

namespace sinkproof::gate {

struct Request {
  std::string model_name;             // the model's path as sinkproof.lock has it
  std::filesystem::path certificate;  // the committed one
  std::filesystem::path renewed;      // where one made in this run goes
  bool stale_fails = false;
  bool verified = false;  // sinkproof-check-verified has to prove what is asked
  check::Limits limits;   // of the check of a committed certificate
  unsigned jobs = 1;
  std::function<void(const std::string& doing, double share_done)> progress;
};

struct Decision {
  std::vector<ci::Finding> findings;  // one for each requirement, in their order
  Asked asked;  // empty when the model cannot be read or is not the pinned one
};

// What a certificate states, for an item that it may be about.
struct Stated {
  std::string stale;                    // why it is not about this item; "" when it is
  std::vector<CertifiedBounds> bounds;  // by property
  std::string how;                      // that every message says after the bounds; or ""
  std::string stale_if_open;  // why it is stale where its bounds do not decide; "": it is not
  // Where the input is that refutes a part, ", attained in row 8"; or ""
  std::function<std::string(const RequirementProof&)> refuted_where;
};

// Each requirement as requirements on single properties.
using Parts = std::vector<std::vector<claim::Requirement>>;

// A model as sinkproof.toml describes it.
class Subject {
 public:
  explicit Subject(const Request& request) : request_(request) {}
  virtual ~Subject() = default;

  [[nodiscard]] const Request& request() const { return request_; }

  [[nodiscard]] virtual certificate::Kind kind() const = 0;
  // SP1302, SP1314: the model has no such property.
  [[nodiscard]] virtual exact::Result<Parts> parts_of(
      const std::vector<claim::Requirement>& requirements) const = 0;
  // The errors of the certificate's reader.
  [[nodiscard]] virtual exact::Result<Stated> read(const json::Value& certificate) const = 0;
  // The trusted checker's verdict on the committed certificate.
  [[nodiscard]] virtual check::Outcome check(const json::Value& certificate) const = 0;
  // A new certificate that the trusted checker accepts.
  [[nodiscard]] virtual exact::Result<json::Value> make(
      const std::vector<claim::Requirement>& requirements) const = 0;
  // Asks the proved checker of the accepted certificate, a finding for each of `parts`. What this
  // leaves alone, the gate calls not covered.
  virtual void demand_proved(std::vector<ci::Finding>& findings, const Parts& parts,
                             const std::string& certificate) const {
    (void)findings, (void)parts, (void)certificate;
  }

 private:
  const Request& request_;
};

// `blanks` has a finding for each requirement, with suite, subject, asked, location and certificate
// set.
std::vector<ci::Finding> decide_bounds(const Subject& subject,
                                       const std::vector<claim::Requirement>& requirements,
                                       std::vector<ci::Finding> blanks);

// The same of all findings.
template <typename Set>
std::vector<ci::Finding> all(std::vector<ci::Finding> findings, const Set& set) {
  for (ci::Finding& finding : findings) set(finding);
  return findings;
}

}  // namespace sinkproof::gate
