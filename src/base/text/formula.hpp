// Formulas within plain prose ("at most 2 eta/(1 + eta), i >= 2") as MathML: claims are written so
// that they read in a terminal and in Coq's comments, too.
#pragma once

#include <string>
#include <string_view>

namespace sinkproof::text {

// `prose` as markup: what html.hpp's escape() makes of it, but for its formulas, each a <math>
// element. A formula is a run of words of numbers, single letters, the names of Greek letters and
// of a few functions, signs, brackets and what stands after _ or ^, with at least one letter or
// script. No sign is left out or moved but what MathML says by its elements: _ ^ and their braces,
// sqrt and its brackets. A long formula is several elements, so that lines may end between them.
std::string typeset(std::string_view prose);

}  // namespace sinkproof::text
