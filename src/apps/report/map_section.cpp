#include "report/map_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "claim/map.hpp"
#include "report/overview.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using claim::Cell;
using claim::Citation;
using text::escape;

std::string css_of(const std::string& verdict) {
  if (verdict == "forced") return "necessary";
  if (verdict == "escaped") return "exactly";
  return verdict == "a trade" ? "limit" : "unsettled";
}

std::string citations(const Cell& cell) {
  std::string text;
  for (const Citation& one : cell.says) {
    text += fmt::format("{}{} <code>{}</code>", text.empty() ? "" : ", ", escape(one.claim),
                        escape(one.name));
  }
  return text.empty() ? "no claim on this page" : text;
}

// Markup.
std::set<std::string> claims_of(const Cell& cell) {
  std::set<std::string> claims;
  for (const Citation& one : cell.says) {
    claims.insert(fmt::format("<span class=\"id\">{}</span>", escape(one.claim)));
  }
  return claims;
}

std::string cell_text(const Cell& cell, const AcceptedClaims& certificates) {
  const bool proved = std::all_of(cell.says.begin(), cell.says.end(), [&](const Citation& one) {
    const auto found = certificates.find(one.claim);
    return found != certificates.end() && claim::proves(*found->second, one.name);
  });
  if (!proved) {
    return fmt::format(R"(<td class="quiet">needs {}</td>)", fmt::join(claims_of(cell), ", "));
  }
  return fmt::format(R"(<td><details><summary><span class="chip {}">{}</span></summary><p>{}</p>)"
                     R"(<p class="quiet">Stated by {}.</p></details></td>)",
                     css_of(cell.verdict), escape(cell.verdict), escape(cell.text),
                     citations(cell));
}

}  // namespace

std::string map_section(const AcceptedClaims& claims, const Options& options) {
  if (claims.empty() || !options.claims) return "";
  const auto map = claim::read_map(*options.claims);
  if (!map) return "";
  std::string head = "<th></th>";
  for (const std::string& kernel : map->kernels) {
    head += fmt::format(R"(<th scope="col">{}</th>)", escape(kernel));
  }
  std::string rows;
  for (std::size_t s = 0; s < map->settings.size(); ++s) {
    rows += fmt::format(R"(<tr><th scope="row">{}</th>)", escape(map->settings[s]));
    for (std::size_t k = 0; k < map->kernels.size(); ++k) {
      rows += cell_text(map->cell(s, k), claims);
    }
    rows += "</tr>\n";
  }
  return "<section id=\"map\">" + section_heading("What forces a sink") +
         "<p>If the loss on the trigger task is small, must some head put its attention on BOS? "
         "A cell opens to a sentence and the theorems that state it. A cell that needs a claim is "
         "empty until the certificate of that claim is on this page, accepted in full.</p>\n<div "
         "class=\"scroll\"><table class=\"forces\"><thead><tr>" +
         head + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n</section>\n";
}

}  // namespace sinkproof::report
