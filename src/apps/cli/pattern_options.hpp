// The options of a measure::PatternRequest, as `sinkproof cost` and `sinkproof measure` share them.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "measure/pattern_request.hpp"

namespace sinkproof::cli {

// --pattern, --roles, --constraints and --margin; `when_none` names what is asked without them.
void add_pattern_options(const Command& command, measure::PatternRequest& request,
                         const std::string& when_none);

}  // namespace sinkproof::cli
