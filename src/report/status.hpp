// What a certificate may be called on the page. Every word and sign of approval passes through
// here, so that a certificate the checker did not accept cannot look accepted.
#pragma once

#include <string>

#include "report/report.hpp"

namespace sinkproof::report {

enum class Status {
  kAccepted,    // exit 0
  kPartly,      // exit 3: holds as far as checked; some steps rest on somebody's word or are open
  kRejected,    // exit 4
  kNotChecked,  // anything else: not found, an error, a disagreement
};

// kAccepted and kPartly need a matching verdict too: a contradictory outcome is kNotChecked.
Status status_of(const Outcome& outcome);

// True when the certificate's own numbers may be shown.
bool shows_bounds(Status status);

// "theory", "checkpoint", "vectors": what the certificate says it is; "" when it says nothing.
std::string kind_of(const Input& input);

// The word for the outcome: its verdict, "rejected", "refuted" or "not checked".
std::string verdict_word(const Outcome& outcome);

// The word for the certificate. A checkpoint's states bounds: it is "enclosed" until thresholds
// were put to it, then what came of them, the worst first.
std::string verdict_word(const Input& input);

// That word as one badge: an icon whose shape says the same as its colour, and the word. An
// outcome that is not accepted never yields "proved" or "enclosed".
std::string verdict_badge(const Input& input);
std::string threshold_badge(const Threshold& threshold);

// The same for one property of a certificate. Its own verdict counts only where the certificate is
// accepted in full; otherwise the certificate's outcome stands in for it.
std::string property_badge(const Outcome& outcome, const std::string& verdict);

// The reasons as escaped text without folders, joined by "; "; "" when there are none.
std::string reasons_text(const Outcome& outcome);

}  // namespace sinkproof::report
