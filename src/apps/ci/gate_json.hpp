// The gate's result as JSON for people's own programs: every field of summary.hpp, in its
// order, under its name.
//   {"schema": 1, "config", "base", "exit_code", "seconds",
//    "findings": [{"level", "suite", "subject", "asked", "length", "box", "verdict", "evidence",
//                  "rule", "code", "message", "lower", "upper", "assumptions", "sentences":
//                  [{"text", "stated":
//                  [...]}, ...], "overrides", "location": {"file", "line", "column"},
//                  "certificate", "certificate_sha256", "subject_sha256", "proved_again",
//                  "exit_code", "seconds"}, ...]}
// level is "pass", "warning", "error" or "unchanged"; bounds are decimal strings rounded outward;
// what is absent (base, length, box, verdict, evidence, rule, code, bounds, certificate, hashes) is
// null; seconds are rounded to thousandths and are all that differs between two runs of the same
// kind.
#pragma once

#include <string>

#include "ci/summary.hpp"

namespace sinkproof::ci {

// Indented by two, one line feed at the end. Texts are as they are; only bytes that are not UTF-8
// become U+FFFD.
std::string gate_json(const Summary& summary);

}  // namespace sinkproof::ci
