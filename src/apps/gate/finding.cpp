#include "gate/finding.hpp"

namespace sinkproof::gate {
namespace {

using ci::Finding;
using ci::Level;

void set(Finding& finding, const std::string& rule, const std::string& verdict, int exit_code,
         const std::string& message) {
  finding.level = Level::kError;
  finding.rule = rule;
  finding.verdict = verdict;
  finding.exit_code = exit_code;
  finding.message = message;
}

}  // namespace

std::string sentence(const exact::Error& error) {
  return error.where.empty() ? error.what : error.where + ": " + error.what;
}

void hold(Finding& finding, const std::string& verdict, const std::string& message) {
  set(finding, finding.proved_again ? "SP1718" : "", verdict, 0, message);
  finding.level = finding.proved_again ? Level::kWarning : Level::kPass;
}

void refute(Finding& finding, const std::string& message) {
  set(finding, "SP1711", "refuted", 1, message);
}

void leave_open(Finding& finding, const std::string& message) {
  set(finding, "SP1713", "unknown", 3, message);
}

void weaken(Finding& finding, const std::string& verdict, const std::string& message) {
  set(finding, "SP1714", verdict, 3, message);
}

void reject(Finding& finding, const exact::Error& error) {
  set(finding, "SP1712", "rejected", 4,
      "the certificate is not accepted: " + sentence(error) +
          (finding.suite == "theory"
               ? "; install sinkproof again"
               : "; restore it (git checkout), or delete it and run `sinkproof gate --update`"));
  finding.code = error.code;
}

void call_stale(Finding& finding, const Evidence& evidence) {
  set(finding, "SP1715", "unknown", 4,
      evidence.reason + "; run `sinkproof gate --update` and commit what it writes");
}

void call_changed(Finding& finding, const std::string& what) {
  const std::string now = finding.message.empty() ? "" : "; as asked now, " + finding.message;
  set(finding, "SP1721", "unknown", 4,
      what + "; read it, and accept it with `sinkproof gate --update`" + now);
}

void mismatch(Finding& finding, const std::string& recorded, const std::string& found) {
  set(finding, "SP1716", "unknown", 4,
      "the model has SHA-256 " + found + ", but the recorded hash is " + recorded +
          "; restore the model, or pin the new hash if the change is meant");
}

void lack(Finding& finding, const exact::Error& error) {
  set(finding, "SP1719", "unknown", 2, sentence(error));
  finding.code = error.code;
}

void break_off(Finding& finding, const exact::Error& error) {
  set(finding, "SP1717", "unknown", 5, sentence(error));
  finding.code = error.code;
}

void settle(Finding& finding, claim::Verdict verdict, const std::string& asked,
            const std::string& found) {
  if (verdict == claim::Verdict::kProved) {
    return hold(finding, "proved", asked + " holds: " + found);
  }
  if (verdict == claim::Verdict::kRefuted) {
    return refute(finding, asked + " is false: " + found);
  }
  leave_open(finding, asked + " is neither proved nor refuted: " + found);
}

void fail_with(Finding& finding, int exit_code, const exact::Error& error) {
  switch (exit_code) {
    case 1:
      refute(finding, sentence(error));
      break;
    case 2:
      lack(finding, error);
      break;
    case 3:
      leave_open(finding, sentence(error));
      break;
    case 4:
      reject(finding, error);
      break;
    default:
      break_off(finding, error);
  }
  finding.code = error.code;
}

}  // namespace sinkproof::gate
