// The inputs, answers and target of a cover as they are asked for: sets of ids, positions and rules
// as text. COVER_RULES.md says what they mean.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "certificate/cover.hpp"
#include "exact/error.hpp"
#include "language/model.hpp"

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

// What a statement is about, as thresholds name it: "margin", "attention.0.1.2" (layer and head
// from 0, position from 1), "logit.5"; of accuracy "accuracy".
std::string figure_name(const certificate::CoverStatement& one);

// The statement without numbers that `name` is about, on sequences of `length` tokens: "right" and
// "wrong" are about accuracy, too. SP1302: the name is not one of these, or the model lacks the
// layer, head, position or id; `where` is named.
exact::Result<certificate::CoverStatement> named_figure(const std::string& name,
                                                        const language::Model& model,
                                                        std::size_t length,
                                                        const std::string& where);

}  // namespace sinkproof::measure
