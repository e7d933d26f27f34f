// The map of what forces a sink: a table of settings and kinds of weights, each cell a sentence
// that theory claims say. A cell speaks up only where every certificate it rests on is on this page
// and was accepted.
#pragma once

#include <string>

#include "report/claim_words.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// "" where no claim was accepted, or there is no folder of claims or no map in it.
std::string map_section(const AcceptedClaims& claims, const Options& options);

}  // namespace sinkproof::report
