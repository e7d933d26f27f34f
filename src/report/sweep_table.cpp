#include "report/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "report/bound_tables.hpp"
#include "report/bound_text.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using text::escape;

struct Row {
  const Compared* checkpoint;
  const Bound* bound;
};

// In the order in which the checkpoints first have them; those of a single checkpoint left out.
std::vector<std::vector<Row>> rows_by_property(const std::vector<Compared>& checkpoints) {
  std::vector<std::vector<Row>> all;
  std::map<std::string, std::size_t> places;
  for (const Compared& checkpoint : checkpoints) {
    for (const Bound& bound : checkpoint.head.bounds) {
      const auto place = places.emplace(bound.name, all.size()).first->second;
      if (place == all.size()) all.emplace_back();
      all[place].push_back({&checkpoint, &bound});
    }
  }
  std::erase_if(all, [](const auto& rows) { return rows.size() < 2; });
  return all;
}

std::string seconds_cell(const Row& row, const Options& options) {
  if (options.seconds.empty()) return "";
  const auto found = options.seconds.find({row.checkpoint->head.sha256, row.bound->name});
  return fmt::format(R"(<td class="num" data-label="Seconds">{}</td>)",
                     found == options.seconds.end() ? "—" : fmt::format("{:.2f}", found->second));
}

std::string row_text(const Row& row, const Options& options) {
  const Bound& bound = *row.bound;
  const std::string lower = down(bound.lower);
  const std::string upper = up(bound.upper);
  return fmt::format(R"(<tr><th scope="row"><a href="#{}">{}</a></th>)"
                     R"(<td class="num" data-label="Bound">{}</td>)"
                     R"(<td class="num" data-label="Attained">{}</td>)"
                     R"(<td class="num" data-label="Ratio">{}</td>)",
                     row.checkpoint->card, escape(row.checkpoint->name),
                     bound.is_floor ? lower : upper, bound.is_floor ? upper : lower,
                     ratio(bound, row.checkpoint->head)) +
         seconds_cell(row, options) + "</tr>\n";
}

}  // namespace

std::string sweep_table(const std::vector<Compared>& checkpoints, const Options& options) {
  const auto properties = rows_by_property(checkpoints);
  if (properties.empty()) return "";
  const bool timed = !options.seconds.empty();
  std::string table = fmt::format(
      "<article class=\"card\">\n<h3>Side by side</h3>\n<div class=\"scroll\" tabindex=\"0\" "
      "role=\"group\" aria-label=\"Bounds of several checkpoints\"><table class=\"stack\"><thead>"
      "<tr><th scope=\"col\">Checkpoint</th><th scope=\"col\">Bound</th>"
      "<th scope=\"col\">Attained</th><th scope=\"col\">Ratio</th>{}</tr></thead>\n",
      timed ? "<th scope=\"col\">Seconds</th>" : "");
  for (const auto& rows : properties) {
    table +=
        fmt::format("<tbody><tr><th scope=\"rowgroup\" colspan=\"{}\"><code>{}</code></th></tr>\n",
                    timed ? 5 : 4, escape(rows.front().bound->name));
    for (const Row& row : rows) table += row_text(row, options);
    table += "</tbody>\n";
  }
  return table +
         fmt::format(
             "</table></div>\n<p class=\"quiet\">The bound holds for every input, what is attained "
             "at an exact one. Ratio as on the cards, rounded up.{}</p>\n</article>\n",
             timed ? " Seconds of the search, measured where it ran; no certificate says them."
                   : "");
}

}  // namespace sinkproof::report
