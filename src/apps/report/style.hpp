// The page's style sheet, that of figures and the one script, as constants: nothing from a file
// enters them. They are page.css, figure.css and page.js, put into style.cpp.in when the build is
// configured, so that both can be read, and worked on, as what they are.
#pragma once

#include <string_view>

namespace sinkproof::report {

// Light and dark by the reader's setting, narrow screens, paper.
extern const std::string_view kStyle;

// Of figures in files of their own (figures.hpp).
extern const std::string_view kFigureStyle;

// Enlarges heat maps, reads their cells, switches their colour scale; without it the page loses
// nothing else.
extern const std::string_view kScript;

}  // namespace sinkproof::report
