// The definitions a claim's sentences rest on: what a person reads to know what was proved, and
// nothing else.
#pragma once

#include <string>
#include <vector>

#include "claim/claim.hpp"

namespace sinkproof::claim {

struct Definition {
  std::string file;                // "theory/definitions/task.v", "statement.v"
  std::vector<std::string> names;  // that it introduces; none of imports and scopes
  std::string text;                // as it stands there, with the comment above it
};

// The definitions of the claim's statement files but their sentences, and of the definition files
// they rest on what is mentioned by a sentence or by another of these definitions, in an order in
// which everything stands before what rests on it. At the end stand the imports and scopes of all
// these files, which decide what names and signs mean. Mentioned is what occurs as a word outside
// comments, so that nothing is left out. Empty for a claim without statement files, or where a file
// cannot be read. The shared theory is `theory` beside the claim's folder.
std::vector<Definition> definitions_of(const Claim& claim);

}  // namespace sinkproof::claim
