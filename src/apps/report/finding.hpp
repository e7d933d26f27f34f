// The page's first sentences and picture. Of all checkpoints on it, first those of which an
// accepted theorem forces a sink, then as the table of attention kinds has them, softmax first,
// small models before large, and as they were given: what a new reader knows comes first, and
// whoever makes the page decides between equals.
#pragma once

#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/claim_words.hpp"
#include "report/input.hpp"
#include "report/names.hpp"

namespace sinkproof::report {

struct Finding {
  std::string markup;  // with an <h1>
  // The same as text, each a line: the first checkpoint's bound, what a theorem forces of it, and
  // beside them the one with the least BOS attention in the same rows that no theorem forces.
  std::vector<std::string> sentences;
};

// Of the first checkpoint the floor of which a theorem forces most; where none does, the first
// certified loss. Nothing where no checkpoint was accepted in full, or none has such a bound. A
// model that is missing or cannot be drawn costs the map. Precondition: certificates are objects of
// kind "checkpoint". SP1202 as checkpoint_section.
exact::Result<Finding> finding(const std::vector<const Input*>& checkpoints,
                               const AcceptedClaims& claims, const Names& names);

}  // namespace sinkproof::report
