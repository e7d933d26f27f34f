// The part of the page about language models: their certificates side by side, and for each one
// what its model does on the stated tokens.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/input.hpp"
#include "report/names.hpp"

namespace sinkproof::report {

// The id of the card of the number-th language input, from 1.
std::string language_anchor(std::size_t number);

// The section, "" for no inputs. A config.json that is not at hand, unreadable or another model's
// is stated on the card. Precondition: certificates are objects of kind "language". SP1202: an
// accepted certificate is not of the form the checker accepts.
exact::Result<std::string> language_section(const std::vector<const Input*>& inputs,
                                            const Names& names);

// The same of estimates: precondition, each input has one. "" for no inputs.
std::string estimate_anchor(std::size_t number);
// `steps`: the training step of each, for curves; else empty.
std::string estimate_section(const std::vector<const Input*>& inputs, const Names& names,
                             const std::vector<std::size_t>& steps);

}  // namespace sinkproof::report
