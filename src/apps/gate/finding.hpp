// How a decision becomes a line of the summary: the stable code, the level and the exit code go
// together here and nowhere else.
#pragma once

#include <string>

#include "ci/summary.hpp"
#include "claim/verdict.hpp"
#include "exact/error.hpp"
#include "gate/evidence.hpp"

namespace sinkproof::gate {

// What was asked holds; a warning (SP1718) when its evidence had to be made anew.
void hold(ci::Finding& finding, const std::string& verdict, const std::string& message);

// It is not so: refuted (SP1711, exit 1).
void refute(ci::Finding& finding, const std::string& message);

// Nobody could say (SP1713, exit 3).
void leave_open(ci::Finding& finding, const std::string& message);

// It holds in a weaker sense than asked: bounded, holey, statistical (SP1714, exit 3).
void weaken(ci::Finding& finding, const std::string& verdict, const std::string& message);

// The certificate is not accepted (SP1712, exit 4).
void reject(ci::Finding& finding, const exact::Error& error);

// The certificate is missing or made for something else, and nothing may be made anew (SP1715,
// exit 4).
void call_stale(ci::Finding& finding, const Evidence& evidence);

// What is asked is not what somebody accepted (SP1721, exit 4), whether it holds or not; `what`
// says how they differ.
void call_changed(ci::Finding& finding, const std::string& what);

// The model is not the one whose hash is recorded (SP1716, exit 4).
void mismatch(ci::Finding& finding, const std::string& recorded, const std::string& found);

// A file it needs is absent, unreadable or not of its form (SP1719, exit 2).
void lack(ci::Finding& finding, const exact::Error& error);

// An error of ours, or a disagreement (SP1717, exit 5).
void break_off(ci::Finding& finding, const exact::Error& error);

// The one of these that goes with an exit code of docs/DESIGN.md other than 0.
void fail_with(ci::Finding& finding, int exit_code, const exact::Error& error);

// The one that goes with a requirement's verdict (kProved, kRefuted or kUnknown); `found` is what
// is known of its property.
void settle(ci::Finding& finding, claim::Verdict verdict, const std::string& asked,
            const std::string& found);

// "file: what", without the code.
std::string sentence(const exact::Error& error);

}  // namespace sinkproof::gate
