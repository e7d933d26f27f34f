#include "report/experiment_section.hpp"

#include <fmt/format.h>

#include "report/overview.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using text::escape;

std::string tagged(const std::string& words, const std::string& tag) {
  return fmt::format(R"({} <span class="tag">{}</span>)", escape(words), escape(tag));
}

// Lines of a cell one below the other.
std::string in_lines(const std::string& words) {
  std::string markup;
  for (const char c : escape(words)) markup += c == '\n' ? "<br>" : std::string(1, c);
  return markup;
}

std::string head_of(const Table& table) {
  std::string groups = fmt::format(R"(<th scope="col" rowspan="2">{}</th>)", escape(table.names));
  std::string columns;
  for (const ColumnGroup& group : table.groups) {
    groups += fmt::format(R"(<th scope="colgroup" colspan="{}">{}</th>)", group.columns.size(),
                          tagged(group.name, group.evidence));
    for (const std::string& column : group.columns) {
      columns += fmt::format(R"(<th scope="col">{}</th>)", escape(column));
    }
  }
  return fmt::format("<thead><tr>{}</tr>\n<tr>{}</tr></thead>\n", groups, columns);
}

std::string row_of(const Table& table, const TableRow& row) {
  std::string cells =
      fmt::format(R"(<th scope="row"><span class="id">{}</span><span class="file">{}</span></th>)",
                  escape(row.name), escape(row.part));
  std::size_t at = 0;
  for (const ColumnGroup& group : table.groups) {
    for (const std::string& column : group.columns) {
      cells += fmt::format(R"cell(<td class="num" data-label="{}, {} ({})">{}</td>)cell",
                           escape(group.name), escape(column), escape(group.evidence),
                           in_lines(row.cells.at(at++)));
    }
  }
  return "<tr>" + cells + "</tr>\n";
}

std::string drawn(const Table& table) {
  std::string markup = fmt::format(
      "<h3>{0}</h3>\n<p>{1}</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"{0}\"><table class=\"stack dense\">{2}<tbody>\n",
      escape(table.title), escape(table.words), head_of(table));
  for (const TableRow& row : table.rows) markup += row_of(table, row);
  return markup + "</tbody></table></div>\n";
}

std::string drawn(const Figure& figure) {
  return fmt::format(
      "<figure class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\">{1}"
      "<figcaption><code>{0}</code> <span class=\"tag\">estimate</span>{2}</figcaption></figure>\n",
      escape(figure.name), figure.svg,
      figure.caption.empty() ? "" : "<br>" + escape(figure.caption));
}

}  // namespace

std::string experiment_section(const Options& options) {
  if (options.figures.empty() && options.tables.empty()) return "";
  std::string section = "<section id=\"experiments\">" + section_heading("Experiments");
  for (const Table& table : options.tables) section += drawn(table);
  for (std::size_t f = 0; f < options.figures.size(); ++f) {
    const Figure& figure = options.figures[f];
    if (f == 0 || options.figures[f - 1].group != figure.group) {
      section += fmt::format("{}<h3>{}</h3>\n<div class=\"figures\">\n", f == 0 ? "" : "</div>\n",
                             escape(figure.group));
    }
    section += drawn(figure);
  }
  return section + (options.figures.empty() ? "" : "</div>\n") + "</section>\n";
}

}  // namespace sinkproof::report
