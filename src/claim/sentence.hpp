// The sentences of a claim: each is words, and the names of what says the same in a language a
// machine checks. Words are tied to it by what can be tied without understanding them: their
// numbers occur there, and a word that claims sharpness names what proves it.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::claim {

struct Claim;

struct Sentence {
  std::string text;               // in words
  std::vector<std::string> says;  // sentences of the claim's statement files, its steps' files, or
                                  // thresholds of its [checkpoint]; at least one
  std::string sharp;  // the one of `says` that shows a bound to be attained; "" for none
};

// The tables [[sentence]] of a claim whose steps, or checkpoint, have been read. SP0602: a field is
// missing, unknown, empty or of the wrong type. SP0612: there is no sentence, `says` names nothing
// that the claim has, a number of the text occurs in nothing that it names, a decimal without "= "
// before it neither, or the text says least, exact, exactly, sharp, attained or only if and no
// `sharp` says which of `says` shows that.
exact::Result<std::vector<Sentence>> read_sentences(const toml::array* tables, const Claim& claim,
                                                    const std::string& where);

// The first number of a text that stands in none of the texts of evidence and abbreviates no closed
// form; "" when there is none.
std::string unsaid_number(const std::string& text, const std::vector<std::string>& evidence);

// The rule above for words said elsewhere (a cell of a map). SP0612.
exact::Result<void> check_words(const Sentence& sentence, const Claim& claim,
                                const std::string& where);

}  // namespace sinkproof::claim
