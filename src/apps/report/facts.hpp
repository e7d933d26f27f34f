// Single facts at the top of a card: what it is, in a word or a number.
#pragma once

#include <string>

namespace sinkproof::report {

// An item of a list <dl class="facts">. Both are markup.
std::string fact(const std::string& name, const std::string& markup);

// A SHA-256 of which the beginning is shown, and all of it on hover.
std::string hash_text(const std::string& sha256);

}  // namespace sinkproof::report
