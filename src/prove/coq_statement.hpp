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

// Demands that the text holds imports of Coq, Coquelicot and the shared theory, `Open Scope`,
// Definition, Fixpoint, Record and Inductive only. SP0719: it says something else (a proof, a
// notation, an axiom, a section, ltac:, a coercion).
exact::Result<void> only_definitions(std::string_view text, const std::string& where);

// Demands besides that the sentences are at the beginnings of their lines, and that there are at
// most kMaxOwnLines other lines of definitions (blank lines and comments do not count). SP0719.
exact::Result<void> is_statement(std::string_view text, const std::string& where);

// The names of the text's Definitions that are no sentences.
std::vector<std::string> coq_own_definitions(std::string_view text);

// The text's imports and scopes, a line each.
std::string coq_preamble(std::string_view text);

}  // namespace sinkproof::prove
