// What a drawing says to anyone who does not see it: a name, and what is to be seen. Every drawing
// that is not mere decoration (aria-hidden) has both.
#pragma once

#include <string>

namespace sinkproof::report {

struct SvgText {
  std::string title;        // text, not markup: what is shown
  std::string description;  // text, not markup: what is to be seen, in a sentence or two
};

// ` role="img" aria-label="TITLE"`, for the <svg> tag.
std::string svg_role(const SvgText& text);

// <title> and <desc>, the first children of the <svg>.
std::string svg_words(const SvgText& text);

}  // namespace sinkproof::report
