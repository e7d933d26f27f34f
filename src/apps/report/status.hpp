// What a certificate may be called on the page. Every word and sign of approval passes through
// here and rests on accept::standing_of, so that a certificate the checker did not accept cannot
// look accepted.
#pragma once

#include <string>

#include "report/input.hpp"

namespace sinkproof::report {

// "theory", "checkpoint", "vectors", "language", "cover": what the certificate says it is; "" when
// it says nothing.
std::string kind_of(const Input& input);

// The word for the outcome: its verdict, "rejected", "refuted" or "not checked".
std::string verdict_word(const Outcome& outcome);

// The word for the certificate. A checkpoint's and a language model's state bounds: it is
// "enclosed" until thresholds were put to it, then what came of them, the worst first.
std::string verdict_word(const Input& input);

// That word as one badge: an icon whose shape says the same as its colour, and the word. An
// outcome that is not accepted never yields "proved" or "enclosed".
std::string verdict_badge(const Input& input);
std::string threshold_badge(const Threshold& threshold);

// The same for one property of a certificate. Its own verdict counts only where the certificate is
// accepted in full; otherwise the certificate's outcome stands in for it.
std::string property_badge(const Outcome& outcome, const std::string& verdict);

// The reason as escaped text without folders; "" when there is none.
std::string reason_text(const Outcome& outcome);

}  // namespace sinkproof::report
