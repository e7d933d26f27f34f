#include "report/figure_section.hpp"

#include <fmt/format.h>

#include "report/overview.hpp"
#include "text/html.hpp"

namespace sinkproof::report {

std::string figure_section(const std::vector<Figure>& figures) {
  if (figures.empty()) return "";
  std::string section = "<section id=\"figures\">" + section_heading("Figures") +
                        "<p>Estimates in double precision: they prove nothing. What is proved of "
                        "these models stands in the certificates.</p>\n";
  for (const Figure& figure : figures) {
    section += fmt::format(
        "<figure class=\"scroll\">{}<figcaption><code>{}</code> <span "
        "class=\"tag\">estimate</span></figcaption></figure>\n",
        figure.svg, text::escape(figure.name));
  }
  return section + "</section>\n";
}

}  // namespace sinkproof::report
