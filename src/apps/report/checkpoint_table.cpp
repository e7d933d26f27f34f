#include "report/checkpoint_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "report/bound_tables.hpp"
#include "report/bound_text.hpp"
#include "report/status.hpp"
#include "text/html.hpp"
#include "text/words.hpp"

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

std::string number_cell(const char* label, const std::string& text) {
  return fmt::format(R"(<td class="num" data-label="{}">{}</td>)", label, text);
}

std::string seconds_cell(const Row& row, const Options& options) {
  if (options.seconds.empty()) return "";
  const auto found = options.seconds.find({row.checkpoint->head.sha256, row.bound->name});
  return number_cell("Seconds",
                     found == options.seconds.end() ? "—" : fmt::format("{:.2f}", found->second));
}

bool asked(const std::vector<Compared>& checkpoints) {
  return std::any_of(checkpoints.begin(), checkpoints.end(),
                     [](const Compared& one) { return !one.input->thresholds.empty(); });
}

std::string required_cell(const Compared& checkpoint) {
  std::string list;
  for (const Threshold& threshold : checkpoint.input->thresholds) {
    list += fmt::format("<code>{}</code> ", escape(threshold.required));
  }
  return fmt::format(R"(<td data-label="Required">{}</td>)", list.empty() ? "—" : list);
}

std::string kind_words(const Checkpoint& head) {
  std::string words = escape(head.attention);
  if (head.num_layers > 1) words += ", " + text::counted(head.num_layers, "layer");
  if (head.num_heads > 1) words += ", " + text::counted(head.num_heads, "head");
  return words;
}

std::string row_text(const Row& row, const Options& options, bool required) {
  const auto& [name, card, input, head] = *row.checkpoint;
  const Bound& bound = *row.bound;
  const std::string lower = down(bound.lower);
  const std::string upper = up(bound.upper);
  return fmt::format(R"(<tr><th scope="row"><a href="#{}">{}</a></th>)"
                     R"(<td data-label="Attention">{}</td>)",
                     card, escape(name), kind_words(head)) +
         number_cell("d", std::to_string(head.d_model)) +
         number_cell("L", std::to_string(head.length)) +
         number_cell("Bound", bound.is_floor ? lower : upper) +
         number_cell("Attained", bound.is_floor ? upper : lower) + ratio_cell(bound, head) +
         (required ? required_cell(*row.checkpoint) : "") + seconds_cell(row, options) +
         fmt::format(R"(<td data-label="Verdict">{}</td></tr>)"
                     "\n",
                     verdict_badge(*input));
}

std::string property_table(const std::vector<Row>& rows, const Options& options, bool required) {
  const std::string name = escape(rows.front().bound->name);
  std::string head;
  const auto column = [&](const char* words) {
    head += fmt::format(R"(<th scope="col">{}</th>)", words);
  };
  for (const char* words : {"Checkpoint", "Attention", "d", "L", "Bound", "Attained", "Ratio"}) {
    column(words);
  }
  if (required) column("Required");
  if (!options.seconds.empty()) column("Seconds");
  column("Verdict");
  std::string table = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0} of several "
      "checkpoints\"><table class=\"stack sortable\"><thead><tr>{1}</tr></thead><tbody>\n",
      name, head);
  for (const Row& row : rows) table += row_text(row, options, required);
  return table + "</tbody></table></div>\n";
}

std::string folded(const std::vector<Row>& rows, const Options& options, bool required) {
  return fmt::format("<details><summary><code>{}</code></summary>\n{}</details>\n",
                     escape(rows.front().bound->name), property_table(rows, options, required));
}

}  // namespace

std::string checkpoint_table(const std::vector<Compared>& checkpoints, const Options& options) {
  const auto properties = rows_by_property(checkpoints);
  if (properties.empty()) return "";
  const bool required = asked(checkpoints);
  std::string text =
      fmt::format("<article class=\"card\">\n<h3>Side by side: <code>{}</code></h3>\n",
                  escape(properties.front().front().bound->name)) +
      property_table(properties.front(), options, required);
  text += fmt::format(
      "<p class=\"quiet\">The bound holds for every input; the attained value is reached at a "
      "concrete input. Ratio: the quotient of the two, rounded up; its bar ends at 10.{}</p>\n",
      options.seconds.empty() ? ""
                              : " Seconds: measured time of the search; no certificate states it.");
  std::string others;
  for (auto rows = properties.begin() + 1; rows != properties.end(); ++rows) {
    others += folded(*rows, options, required);
  }
  if (!others.empty()) {
    text += "<details><summary>The other properties</summary>\n" + others + "</details>\n";
  }
  return text + "</article>\n";
}

}  // namespace sinkproof::report
