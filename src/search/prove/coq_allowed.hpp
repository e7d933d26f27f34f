// What a Coq file of a claim, or of the shared theory, may hold: a list of commands and of
// libraries, nothing else. What its terms may hold is asked of Coq's kernel
// (coq_plugin/plain_terms.ml).
#pragma once

#include <string>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::prove {

enum class CoqFile {
  kDefinitions,  // statement files and theory/definitions: what a person reads
  kProofs,       // everything else
};

// SP0711 (of a file of definitions SP0719): a command or a library that is not on the list, a
// character that is not plain ASCII, a string outside comments, a comment that begins right behind
// a character (a notation could make one token of the two, so that Coq reads code where a reader
// sees a comment), or a tactic or cast that asks for the virtual machine or for no check. The
// message names the command and what may stand there.
exact::Result<void> only_allowed_coq(std::string_view text, CoqFile kind, const std::string& where);

}  // namespace sinkproof::prove
