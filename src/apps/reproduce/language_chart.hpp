// The charts of a language sweep: for each comparison, sink share and held-out loss along the
// steps, the base's among them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reproduce/language_sweep.hpp"

namespace sinkproof::reproduce {

// (name, SVG document)
std::vector<std::pair<std::string, std::string>> language_charts(const SweepOptions& options,
                                                                 const Sweep& sweep);

}  // namespace sinkproof::reproduce
