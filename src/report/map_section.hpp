// The map of what forces a sink: a table of settings and kinds of weights, each cell a sentence
// that theory claims say. A cell speaks up only where every certificate it rests on is on this page
// and was accepted.
#pragma once

#include <string>
#include <vector>

#include "report/input.hpp"

namespace sinkproof::report {

// "" where there is no theory certificate, no folder of claims or no map in it.
std::string map_section(const std::vector<const Input*>& theory, const Options& options);

}  // namespace sinkproof::report
