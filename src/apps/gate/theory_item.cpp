#include "gate/theory_item.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/claim_hash.hpp"
#include "certificate/strict.hpp"
#include "check/limits.hpp"
#include "claim/authoring_step.hpp"
#include "claim/claim.hpp"
#include "claim/stated.hpp"
#include "gate/asked.hpp"
#include "gate/finding.hpp"
#include "output/replace.hpp"
#include "output/temporary_folder.hpp"
#include "prove/prove.hpp"
#include "theory/theory.hpp"

namespace sinkproof::gate {
namespace {

namespace fs = std::filesystem;
using exact::Error;
using json::Value;
using Need = TheoryItem::Need;

// Why the certificate is not about the folder as it is; "" when it does.
std::string reason_stale(const Value& certificate, const TheoryItem& item) {
  const Value recorded = certificate.value("claim_sha256", Value());
  if (recorded.is_string() && recorded != item.finding.subject_sha256) {
    return "its certificate was made for other files than those of " + item.id + "/";
  }
  if (!certificate.contains("steps") || !certificate["steps"].is_array()) return "";
  const auto theory = certificate::claim_hash(item.folder / ".." / "theory");
  for (const Value& step : certificate["steps"]) {
    const Value hash = step.is_object() ? step.value("theory_sha256", Value()) : Value();
    if (hash.is_string() && theory && hash != *theory) {
      return "theory/ has changed since its certificate";
    }
  }
  return "";
}

// The author's words, and what the evidence states.
void list_sentences(ci::Finding& finding, const claim::Claim& claim) {
  for (const claim::Sentence& sentence : claim.sentences) {
    ci::Sentence shown{sentence.text, {}};
    for (const std::string& name : sentence.says) {
      if (auto stated = claim::stated(claim, name)) shown.stated.push_back(std::move(*stated));
    }
    finding.sentences.push_back(std::move(shown));
  }
}

// Precondition: the checker accepted the certificate, in part at least.
void list_assumptions(TheoryItem& item, const Value& certificate, const check::TheoryCheck& checked,
                      bool run_here) {
  const std::string whose = run_here ? ", run by this gate: " : ", by the certificate's word: ";
  std::map<std::string, std::vector<std::string>> files;
  for (const check::NotReverified& step : checked.not_reverified) {
    files[step.kind].push_back(step.file);
  }
  for (const auto& [kind, names] : files) {
    item.finding.assumptions.push_back(fmt::format("{}{}{}", kind, whose, fmt::join(names, ", ")));
  }
  const std::set<std::string> axioms = axioms_of(certificate);
  if (axioms.empty()) return;
  item.finding.assumptions.push_back(fmt::format("axioms: {}", fmt::join(axioms, ", ")));
}

// The finding of a certificate the checker did not reject and whose words are taken.
void conclude(TheoryItem& item, const Value& certificate, const check::TheoryCheck& checked,
              const std::string& how) {
  item.finding.evidence = checked.evidence;
  if (checked.verdict == "proved") {
    hold(item.finding, "proved", item.id + " is proved by " + checked.evidence + how);
  } else if (checked.verdict == "bounded" && item.accept.contains("bounded")) {
    hold(item.finding, "bounded", item.id + " is proved for the listed sizes" + how);
  } else {
    const std::string holes = fmt::format("{}", fmt::join(checked.holes, ", "));
    weaken(item.finding, checked.verdict,
           item.id + " is " + checked.verdict + (holes.empty() ? "" : " (" + holes + ")") +
               (checked.reason.empty() ? "" : ": " + checked.reason));
  }
  if (item.finding.exit_code != 0) return;
  auto asked = asked_of(item, certificate);
  if (!asked) return lack(item.finding, asked.error());
  item.asked = *std::move(asked);
}

bool takes_on_trust(const TheoryItem& item, const check::TheoryCheck& checked) {
  return std::all_of(
      checked.not_reverified.begin(), checked.not_reverified.end(),
      [&](const check::NotReverified& step) { return item.accept.contains(step.kind); });
}

void check_committed(TheoryItem& item) {
  const Value& certificate = item.evidence.envelope->value;
  const auto check = [&] { return check::check_theory(certificate, item.folder); };
  const check::Outcome ended = check::within(item.limits, [&] {
    check::Outcome outcome;
    if (certificate::result_of(check)) outcome.exit_code = 0;
    return outcome;
  });
  if (!ended.code.empty()) {  // a limit, or a crash
    return fail_with(item.finding, ended.exit_code,
                     {ended.code, item.finding.certificate, ended.reason});
  }
  const auto result = certificate::result_of(check);
  if (!result) {
    return fail_with(item.finding, certificate::rejected_by(result.error()).exit_code,
                     result.error());
  }
  const check::TheoryCheck& checked = *result;
  if (!takes_on_trust(item, checked)) {
    item.need = Need::kSecondRun;
    return;
  }
  list_assumptions(item, certificate, checked, false);
  conclude(item, certificate, checked, "");
}

// A step's error names "<id>/<file>": the place to point at.
void point_at(TheoryItem& item, const Error& error) {
  const std::string prefix = item.id + "/";
  if (!error.where.starts_with(prefix)) return;
  const std::string rest = error.where.substr(prefix.size());
  const std::string file = rest.substr(0, rest.find_first_of(": "));
  std::error_code ignored;
  if (file.find('/') != std::string::npos || !fs::is_regular_file(item.folder / file, ignored)) {
    return;
  }
  const fs::path claim_file = item.finding.location.file;
  if (claim_file.filename() != "claim.toml") return;
  item.finding.location = {(claim_file.parent_path() / file).generic_string(), 1, 1};
}

// A solver that is not installed or gives up says nothing about the committed certificate.
bool is_without_solver(const prove::ProveRow& row) {
  return row.gap_code == "SP0701" || row.gap_code == "SP0708";
}

void finish(TheoryItem& item, const prove::ProveRow& row) {
  item.finding.seconds += row.seconds;
  const Evidence made = read_evidence(item.made);
  if (row.error) {
    point_at(item, *row.error);
    return fail_with(item.finding, row.exit_code == 0 ? 5 : row.exit_code,
                     claim::with_authoring_step(*row.error));
  }
  if (item.need == Need::kSecondRun && is_without_solver(row)) {
    leave_open(item.finding, "its steps could not be run again: " + row.gap);
    item.finding.code = row.gap_code;
    return;
  }
  if (made.state != Evidence::State::kReadable) {
    return break_off(item.finding, {"SP1717", item.made.string(), "cannot be read back"});
  }
  const auto result = certificate::result_of(
      [&] { return check::check_theory(made.envelope->value, item.folder); });
  if (!result) return break_off(item.finding, result.error());
  const check::TheoryCheck& checked = *result;
  if (item.need == Need::kSecondRun && made.bytes != item.evidence.bytes) {
    return reject(item.finding, {"SP1712", item.finding.certificate,
                                 "proving the claim again gives another certificate"});
  }
  if (item.need == Need::kRenewal) {
    std::error_code error;
    fs::create_directories(item.renewed.parent_path(), error);
    if (auto kept = output::replace(item.renewed, made.bytes); !kept) {
      return lack(item.finding, kept.error());
    }
  }
  list_assumptions(item, made.envelope->value, checked, true);
  item.finding.proved_again = item.need == Need::kRenewal;
  item.finding.certificate_sha256 = made.sha256;
  conclude(item, made.envelope->value, checked,
           item.need == Need::kRenewal
               ? "; " + item.evidence.reason + ", so it was made anew: commit it"
               : "; every step was run again");
}

void prove_in(const fs::path& proofs, const fs::path& output, const std::vector<TheoryItem*>& items,
              const Proving& proving) {
  prove::ProveOptions options;
  options.proofs = proofs;
  options.certificates = output;
  options.jobs = proving.jobs;
  options.sandbox = proving.sandbox;
  options.progress = proving.progress;
  options.accept = accept::ask_about_theory;
  for (TheoryItem* item : items) {
    options.ids.push_back(item->id);
    item->made = output / (item->id + ".json");
    std::error_code ignored;
    fs::remove(item->renewed, ignored);  // what an earlier run left proves nothing now
  }
  const auto rows = prove::prove_claims(options);
  for (TheoryItem* item : items) {
    if (!rows) {
      lack(item->finding, rows.error());
      continue;
    }
    const auto row = std::find_if(rows->begin(), rows->end(), [&](const prove::ProveRow& each) {
      return each.claim == item->id;
    });
    finish(*item, *row);
  }
}

}  // namespace

std::set<std::string> axioms_of(const Value& certificate) {
  std::set<std::string> axioms;
  for (const Value& step : certificate["steps"]) {
    if (!step.contains("assumptions")) continue;
    for (const Value& axiom : step["assumptions"]) axioms.insert(axiom.get<std::string>());
  }
  return axioms;
}

void look_at(TheoryItem& item, bool stale_fails) {
  const auto claim = claim::load_claim(item.folder);
  if (!claim) return lack(item.finding, claim::with_authoring_step(claim.error()));
  list_sentences(item.finding, *claim);
  const auto hash = certificate::claim_hash(item.folder);
  if (!hash) return lack(item.finding, hash.error());
  item.finding.subject_sha256 = *hash;
  item.evidence = read_evidence(item.certificate);
  item.finding.certificate_sha256 = item.evidence.sha256;
  if (item.evidence.state == Evidence::State::kReadable) {
    const auto& envelope = *item.evidence.envelope;
    if (envelope.kind != certificate::Kind::kTheory || envelope.claim != item.id) {
      return reject(item.finding, {"SP0801", item.finding.certificate,
                                   "it is a certificate of " + envelope.claim});
    }
    if (const std::string why = reason_stale(envelope.value, item); !why.empty()) {
      item.evidence = stale(std::move(item.evidence), why);
    }
  }
  switch (item.evidence.state) {
    case Evidence::State::kBroken:
      return reject(item.finding, item.evidence.error);
    case Evidence::State::kReadable:
      return check_committed(item);
    case Evidence::State::kMissing:
    case Evidence::State::kStale:
      if (stale_fails) return call_stale(item.finding, item.evidence);
      item.need = Need::kRenewal;
  }
}

void prove_again(std::vector<TheoryItem>& items, const Proving& proving) {
  std::map<std::pair<fs::path, fs::path>, std::vector<TheoryItem*>> groups;
  for (TheoryItem& item : items) {
    if (item.need == Need::kNothing) continue;
    groups[{item.folder.parent_path(), item.renewed.parent_path()}].push_back(&item);
  }
  for (const auto& [where, group] : groups) {
    // Another gate may run in the same folder: each makes its certificates in a place of its own.
    const output::TemporaryFolder own;
    prove_in(where.first, own.path(), group, proving);
  }
}

}  // namespace sinkproof::gate
