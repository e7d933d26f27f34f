// What a file may say that is to be read and not proved: the statement files of claims and the
// definition files of the shared theory. Untrusted like all of prove/, but a person who reads such
// a file relies on its holding definitions and nothing that changes their meaning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::prove {

// Lines of definitions, besides the sentences, that a reader of one claim is asked to read.
inline constexpr std::size_t kMaxOwnLines = 60;

// Demands that the text holds definitions only (coq_allowed.hpp), each of which a reader is shown
// whole: without a blank line or a comment in it. SP0711, SP0719.
exact::Result<void> only_definitions(std::string_view text, const std::string& where);

// Demands besides that the sentences are at the beginnings of their lines, and that there are at
// most kMaxOwnLines other lines of definitions (blank lines and comments do not count). SP0719.
exact::Result<void> is_statement(std::string_view text, const std::string& where);

}  // namespace sinkproof::prove
