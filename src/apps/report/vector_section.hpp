// The part of the page about given vectors: charts of costs across instances, and for each vector
// certificate the input, what the checker said, and its properties.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/input.hpp"
#include "report/names.hpp"

namespace sinkproof::report {

// The id of the card of the number-th vectors input, from 1.
std::string vector_anchor(std::size_t number);

// The section, "" for no inputs. Precondition: certificates are objects of kind "vectors".
// SP1202: an accepted certificate is not of the form the checker accepts. SP1205: a certified cost
// contradicts a closed form.
exact::Result<std::string> vector_section(const std::vector<const Input*>& inputs,
                                          const Names& names);

}  // namespace sinkproof::report
