// The sentences of a claim: what is claimed stands in a language that a machine checks, and the
// words beside it describe it. Nothing compares the two, so whatever shows words shows first what
// they describe, and calls the words an informal description.
#pragma once

#include <toml++/toml.h>

#include <set>
#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::claim {

struct Claim;

struct Sentence {
  std::string text;  // in words
  std::vector<std::string>
      says;  // sentences of the claim's statement files, its steps' files (but
             // Coq's and vectors), or thresholds of its [checkpoint]; at least one
};

// The tables [[sentence]] of a claim whose steps, or checkpoint, have been read. SP0602: a field is
// missing, unknown, empty or of the wrong type. SP0612: there is no sentence, or `says` names
// nothing that the claim has.
exact::Result<std::vector<Sentence>> read_sentences(const toml::array* tables, const Claim& claim,
                                                    const std::string& where);

// What the words of the claim's sentences and variants name. A theory claim is proved as far as the
// weakest of them is (FORMAT.md, 3.2).
std::set<std::string> said_names(const Claim& claim);

// The checkers read the fields `says` of a theory claim by lines (certificate/says.hpp). SP0612:
// they would find other names than those of `claim`.
exact::Result<void> check_says_lines(const Claim& claim, const std::string& where);

// The rule above for words elsewhere (a row of a map of variants). SP0612.
exact::Result<void> check_says(const std::vector<std::string>& says, const Claim& claim,
                               const std::string& where);

}  // namespace sinkproof::claim
