// What the cards of checkpoints, vectors and language models have in common.
#pragma once

#include <string>

#include "report/input.hpp"

namespace sinkproof::report {

// Markup for a heading: what is below it is proved.
inline constexpr const char* kProvedTag = "<span class=\"tag\">proved</span>";

// Opens a card: its name and its verdict. `anchor` is an identifier of the page.
std::string card_head(const Input& input, const std::string& name, const std::string& anchor);

// The whole card of a certificate that the checker did not accept: why, and nothing of what it
// states.
std::string unaccepted_card(const Input& input, const std::string& name, const std::string& anchor);

// What the checker said besides its verdict; "" where it said nothing.
std::string checker_words(const Input& input);

// The thresholds that the caller requires, and what came of them; "" for none.
std::string required(const Input& input);

}  // namespace sinkproof::report
