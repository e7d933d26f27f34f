#include "report/chart/svg_text.hpp"

#include <fmt/format.h>

#include "text/html.hpp"

namespace sinkproof::report {

std::string svg_role(const SvgText& text) {
  return fmt::format(R"( role="img" aria-label="{}")", text::escape(text.title));
}

std::string svg_words(const SvgText& text) {
  return fmt::format("<title>{}</title><desc>{}</desc>", text::escape(text.title),
                     text::escape(text.description));
}

}  // namespace sinkproof::report
