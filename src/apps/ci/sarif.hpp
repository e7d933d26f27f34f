// The gate's result as SARIF 2.1.0 (OASIS, with errata 01): one run, whose rules are rules(),
// all of them in every run, and a result for each finding.
//
//   finding     kind            level     ruleId
//   kError      fail            error     its code
//   kWarning    fail            warning   its code
//   kPass       pass            none      SP1711, the rule it did not break
//   kUnchanged  notApplicable   none      SP1711
// Not decided (SP1713) is "fail" too, although SARIF has a kind "open" for it: the gate was asked
// for a proof, and the build is red.
//
// GitHub code scanning ignores `kind` and shows every result as an alert, so problems only is the
// default; kAll is for readers that know SARIF.
//
// Identity. SARIF leaves `fingerprints` to the systems that manage results; a producer gives
// `partialFingerprints`:
//   sinkproofClaim/v1      SHA-256 of suite, subject and what was asked (each as LENGTH:TEXT): the
//                          same whatever the outcome, the line, the file and the evidence. Two
//                          results are the same problem when it and ruleId are equal.
//   certificateSha256/v1   the SHA-256 of the certificate file, when there is one: the evidence the
//                          result is about. It changes when the evidence does, and the findings of
//                          one checkpoint may share it: it never identifies a result alone.
// GitHub reads primaryLocationLineHash only. It is left out here on purpose: github/codeql-action
// computes it from the line of the file, and warns of any other value. So that two requirements
// stay two alerts, their locations should be different lines.
//
// There are no times, host names, commands or absolute paths. Columns count code points.
#pragma once

#include <string>

#include "ci/summary.hpp"

namespace sinkproof::ci {

enum class SarifResults { kProblems, kAll };

// Indented by two, one line feed at the end. Texts are printable (text/printable.hpp), and nothing
// in a message is a placeholder or a link; locations are relative to %SRCROOT%.
std::string sarif(const Summary& summary, SarifResults results = SarifResults::kProblems);

}  // namespace sinkproof::ci
