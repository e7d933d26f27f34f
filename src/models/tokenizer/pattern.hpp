// tokenizer.json writes regular expressions for Oniguruma (Ruby's syntax), we match by PCRE2. Most
// of the two languages is one; what means something else in the other is rewritten or refused here,
// so that no text is cut in other places than the tokenizer's authors saw.
#pragma once

#include <string>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::tokenizer {

// `pattern` for PCRE2 with UTF, UCP and MULTILINE. Rewritten: \s, \S (PCRE2's hold U+180E, too),
// names of scripts in \p{...} (PCRE2's are those of script extensions). SP2206: longer than 16384
// bytes, other escapes than \r \n \t \f \e \a \x \d \D \s \S \p \P \A \z \Z and of punctuation,
// other groups than (...) (?:...) (?i:...) (?>...) and lookarounds, a possessive {m,n}+ (Ruby
// repeats there), sets within sets.
exact::Result<std::string> to_pcre2(std::string_view pattern, const std::string& where);

}  // namespace sinkproof::tokenizer
