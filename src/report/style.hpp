// The page's style sheet and its one script, as constants: nothing from a file enters them.
#pragma once

#include <string_view>

namespace sinkproof::report {

// Light and dark by the reader's setting, narrow screens, paper.
extern const std::string_view kStyle;

// Enlarges a heat map in a <dialog> on click, Enter or the space bar; without it the page loses
// nothing else.
extern const std::string_view kScript;

}  // namespace sinkproof::report
