#include "report/svg_text.hpp"

#include <fmt/format.h>

#include "report/html_text.hpp"

namespace sinkproof::report {

std::string svg_role(const SvgText& text) {
  return fmt::format(R"( role="img" aria-label="{}")", escape(text.title));
}

std::string svg_words(const SvgText& text) {
  return fmt::format("<title>{}</title><desc>{}</desc>", escape(text.title),
                     escape(text.description));
}

}  // namespace sinkproof::report
