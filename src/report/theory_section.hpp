// The theory claims as one table: what each says in words, what the checker said, and which steps
// rest on somebody's word.
#pragma once

#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/report.hpp"

namespace sinkproof::report {

// The section, "" for no inputs. Precondition: certificates are objects of kind "theory".
// SP1202: an accepted certificate is not of the form the checker accepts.
exact::Result<std::string> theory_section(const std::vector<const Input*>& inputs,
                                          const Options& options);

}  // namespace sinkproof::report
