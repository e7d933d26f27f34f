// Which characters have one class in every version of Unicode that tokenizers are read by. The
// tokenizers library 0.23.2 has the tables of several versions, utf8proc those of Unicode 15 and
// PCRE2 those of Unicode 14; where they differ, ids would differ, and the text is refused.
#pragma once

#include <string>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::tokenizer {

// What a step asks of a character, as the library's tables go.
enum class Tables {
  kNew,             // Unicode 16: letters, digits, white space, lower case
  kNewWithSymbols,  // the same, and whether it is a symbol, or not assigned
  kOld,             // Unicode 8 and 9: normal forms, marks, punctuation, controls
};

// SP2212: a character of `text` (UTF-8) that Unicode 14 does not have, noncharacters aside and for
// kNew the places reserved for emoji; for kOld also one that those versions read otherwise.
exact::Result<void> refuse_unsettled(std::string_view text, Tables tables,
                                     const std::string& where);

}  // namespace sinkproof::tokenizer
