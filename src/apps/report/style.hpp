// The page's style sheet and its one script, as constants: nothing from a file enters them. They
// are page.css and page.js, put into style.cpp.in when the build is configured, so that both can be
// read, and worked on, as what they are.
#pragma once

#include <string_view>

namespace sinkproof::report {

// Light and dark by the reader's setting, narrow screens, paper.
extern const std::string_view kStyle;

// Enlarges heat maps, reads their cells, switches their colour scale; without it the page loses
// nothing else.
extern const std::string_view kScript;

}  // namespace sinkproof::report
