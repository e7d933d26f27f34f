// One theory claim the gate was asked about: its committed certificate is checked; where that is
// stale, missing, or rests on a solver's or Coq's word that sinkproof.toml does not accept, the
// claim is proved again.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "ci/summary.hpp"
#include "gate/evidence.hpp"
#include "gate/lock.hpp"
#include "json/strict.hpp"

namespace sinkproof::gate {

struct TheoryItem {
  std::string id;
  std::filesystem::path folder;       // proofs/<id>
  std::filesystem::path certificate;  // the committed one
  std::filesystem::path renewed;      // where one made in this run goes
  std::filesystem::path made;         // where this run makes it first, for itself alone
  std::set<std::string> accept;       // ClaimGroup::accept
  check::Limits limits;               // of the check of the committed certificate
  Evidence evidence;
  // How it was decided, or why it cannot be without proving.
  enum class Need { kNothing, kRenewal, kSecondRun } need = Need::kNothing;
  Asked asked;          // what was shown; of one that holds
  ci::Finding finding;  // suite, subject, asked and location are set before
};

// The standard axioms that the Coq theorems of a certificate rest on.
std::set<std::string> axioms_of(const json::Value& certificate);

// Checks the committed certificate. Afterwards the finding is final, or `need` says what is left:
// kRenewal when it is stale or missing (and that is not a failure), kSecondRun when it holds but
// for steps that nothing but running Z3, cvc5 or Coq again can confirm.
void look_at(TheoryItem& item, bool stale_fails);

struct Proving {
  unsigned jobs = 1;
  bool sandbox = false;  // as of prove::ProveOptions
  std::function<void(std::size_t done, std::size_t total, const std::string& step)> progress;
};

// Proves the items that need it, all at once; their findings are final afterwards. A second run
// must reproduce the committed certificate byte for byte.
void prove_again(std::vector<TheoryItem>& items, const Proving& proving);

}  // namespace sinkproof::gate
