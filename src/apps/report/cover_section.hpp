// What language models do on every sequence of a set: cards of cover certificates
// (src/checker/certificate/COVER_RULES.md).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/input.hpp"
#include "report/names.hpp"

namespace sinkproof::report {

// The id of the card of the certificate with this number, from 1.
std::string cover_anchor(std::size_t number);

// "The model is right on all 169 sequences, by a margin of at least 20.67"; "" where the
// certificate states no accuracy. Text. Precondition: the outcome shows bounds.
std::string cover_headline(const Input& input);

// A card for each: its headline, statements and the ranges of attention. "" for no inputs. SP1202:
// an outcome says accepted, but the certificate is not of the form.
exact::Result<std::string> cover_section(const std::vector<const Input*>& inputs,
                                         const Names& names);

}  // namespace sinkproof::report
