#include "ci/rules.hpp"

#include <algorithm>
#include <array>

namespace sinkproof::ci {
namespace {

constexpr std::array<Rule, 15> kRules{{
    {"SP1701", "ConfigurationNotToml", "sinkproof.toml is not TOML", Level::kError,
     "gate: sinkproof.toml is not TOML", "the message names line and column"},
    {"SP1702", "ConfigurationField", "wrong field in sinkproof.toml", Level::kError,
     "gate: a field of sinkproof.toml is missing, unknown, of the wrong type or contradicts "
     "another",
     "the message names the field; docs/GATE.md lists them"},
    {"SP1703", "NothingAsked", "nothing to decide", Level::kError,
     "gate: sinkproof.toml asks for nothing, or a pattern matches no claim",
     "name claims that are there: a gate that asks for nothing would always be green"},
    {"SP1704", "ChangesUnknown", "changes not known", Level::kError,
     "gate: git cannot say what changed since the base",
     "fetch the base with its history (fetch-depth: 0), or leave --only-changed out"},
    {"SP1711", "ClaimRefuted", "refuted", Level::kError,
     "gate: what was asked is refuted, by an exact witness or by certified bounds",
     "the certificate holds the witness; change the model, or what is asked of it"},
    {"SP1712", "CertificateRejected", "certificate rejected", Level::kError,
     "gate: the trusted checker rejects a certificate",
     "somebody edited it: restore it (git checkout), or delete it and run `sinkproof gate "
     "--update`; if it was just made, please report it"},
    {"SP1713", "NotDecided", "not decided", Level::kError,
     "gate: neither proved nor refuted: the search gave up or ran out of time",
     "the message says the gap; give it more time, ask for less, or strengthen the proof"},
    {"SP1714", "WeakerThanAsked", "weaker than asked", Level::kError,
     "gate: it holds only in a weaker way than asked: holey, bounded, statistical, or "
     "not proved by the checker that sinkproof.toml demands",
     "close the step the message names, accept that verdict in sinkproof.toml, or check it in a "
     "file "
     "without `checker = \"verified\"`"},
    {"SP1715", "StaleEvidence", "stale or missing evidence", Level::kError,
     "gate: the committed certificate is stale, or there is none, where sinkproof.toml does not "
     "allow that",
     "make it with `sinkproof gate --update` and commit it"},
    {"SP1716", "PinnedHashDiffers", "pinned hash differs", Level::kError,
     "gate: a file's SHA-256 is not the one sinkproof.toml pins",
     "restore the file, or pin the new hash if the change is meant"},
    {"SP1717", "InternalErrorOrDisagreement", "internal error or disagreement", Level::kError,
     "gate: an internal error, or two checkers or solvers disagree",
     "nothing is decided until it is understood: please report it, with the command and its files"},
    {"SP1718", "EvidenceMadeAnew", "evidence made anew", Level::kWarning,
     "gate, a warning: the committed certificate was stale or missing and was made anew in this "
     "run",
     "put it in place with `sinkproof gate --update` and commit it"},
    {"SP1719", "InputMissing", "input missing or malformed", Level::kError,
     "gate: a file it needs is missing, unreadable or not of its form",
     "check the path in sinkproof.toml; the code beside it says what is wrong with the file"},
    {"SP1720", "LockMalformed", "sinkproof.lock malformed", Level::kError,
     "gate: sinkproof.lock is not of the form this version writes",
     "restore it (git checkout); one that another version wrote is deleted and made anew with "
     "`sinkproof gate --update`"},
    {"SP1721", "StatementNotAccepted", "not what was accepted", Level::kError,
     "gate: what is asked, or of what, is not what sinkproof.lock says somebody accepted; or the "
     "lock is missing",
     "read what changed (`sinkproof explain ID` shows a claim); if it is meant, `sinkproof gate "
     "--update` and commit the lock"},
}};

std::size_t index_of(std::string_view code) {
  const auto has_code = [&](const Rule& rule) { return rule.code == code; };
  const auto found = std::find_if(kRules.begin(), kRules.end(), has_code);
  return static_cast<std::size_t>(found - kRules.begin());
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

std::size_t rule_index(const Finding& finding) {
  const bool broken = finding.level == Level::kError || finding.level == Level::kWarning;
  if (!broken) return index_of("SP1711");
  const std::size_t index = index_of(finding.rule);
  return index < kRules.size() ? index : index_of("SP1717");
}

}  // namespace sinkproof::ci
