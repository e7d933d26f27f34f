// The inputs, answers and target of a cover as they are asked for: sets of ids, positions and rules
// as text. COVER_RULES.md says what they mean.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "certificate/cover.hpp"
#include "exact/error.hpp"

namespace sinkproof::measure {

struct CoverTexts {
  std::vector<std::string> positions;  // "0-112", "3,5,7-9", "any"; "=2" repeats position 2
  std::string answers = "any";         // as a set of ids
  std::string target;  // "sum 1,2 mod 113", "maximum 1,2,3", "copy 4", "table FILE.npy"
};

// "3,5,7-9" or "any". SP2009: it is not of that form, or an id is not below the vocabulary; `where`
// is named.
exact::Result<certificate::IdSet> read_ids(const std::string& text, std::size_t vocabulary,
                                           const std::string& where);

// A cover of these inputs without cover, statements and model. SP2009: a text is not of its form,
// an id is not below the vocabulary, or a position repeats one that is not free. SP2104: the table
// is not a .npy file of integers; SP0201: it cannot be read.
exact::Result<certificate::Cover> read_cover_texts(const CoverTexts& texts, std::size_t vocabulary);

}  // namespace sinkproof::measure
