#include "ci/step_summary.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "ci/rules.hpp"
#include "ci/words.hpp"
#include "text/html.hpp"
#include "text/printable.hpp"
#include "text/words.hpp"

namespace sinkproof::ci {
namespace {

using text::escape;
using text::one_line;

constexpr std::size_t kCellBytes = 2000;
// For the sentence on rows left out and what closes a table.
constexpr std::size_t kReserve = 1024;

std::string words(std::string_view text) { return escape(one_line(text, kCellBytes)); }

// A name: not read for mentions and links either.
std::string code(std::string_view text) {
  return text.empty() ? "" : "<code>" + words(text) + "</code>";
}

std::string cell(const std::string& content) { return "<td>" + content + "</td>"; }

std::string header(const std::vector<std::string_view>& names) {
  std::string row = "<tr>";
  for (const std::string_view name : names) row += fmt::format("<th>{}</th>", name);
  return row + "</tr>\n";
}

std::string file_and_line(const Location& location) {
  return location.file.empty() ? "" : fmt::format("{}:{}", location.file, location.line);
}

std::string subject_cell(const Finding& finding) {
  return cell(code(finding.subject) + " " + words(finding.suite));
}

std::string problem_row(const Finding& finding) {
  const Rule& rule = rules()[rule_index(finding)];
  std::string what = fmt::format("<b>{}</b> {}: {}", rule.code, rule.title, words(finding.message));
  if (!finding.code.empty()) what += " " + code(finding.code);
  return "<tr>" + subject_cell(finding) + cell(code(asked_text(finding))) +
         cell(words(finding.verdict)) + cell(code(bounds_text(finding))) + cell(what) +
         cell(code(file_and_line(finding.location))) + "</tr>\n";
}

std::string pass_row(const Finding& finding) {
  return "<tr>" + subject_cell(finding) + cell(code(asked_text(finding))) +
         cell(words(finding.verdict)) + cell(code(bounds_text(finding))) +
         cell(words(finding.evidence)) +
         cell(code(fmt::format("{}", fmt::join(finding.assumptions, "; ")))) +
         cell(code(finding.certificate)) + "</tr>\n";
}

std::string unchanged_row(const Finding& finding) {
  return "<tr>" + subject_cell(finding) + cell(code(asked_text(finding))) +
         cell(words(finding.message)) + "</tr>\n";
}

struct Section {
  Level level;
  std::string open;
  std::string close;
  std::string (*row)(const Finding&);
};

std::string folded(std::string_view title, std::size_t count) {
  return fmt::format("<details><summary>{}: {}</summary>\n<table>\n", title, count);
}

std::vector<Section> sections(const Counts& counts) {
  const std::string problems =
      header({"claim or checkpoint", "asked", "verdict", "bounds", "what is wrong", "where"});
  const std::string warnings =
      header({"claim or checkpoint", "asked", "verdict", "bounds", "what to do", "where"});
  const std::string passes = header(
      {"claim or checkpoint", "asked", "verdict", "bounds", "evidence", "rests on", "certificate"});
  const std::string unchanged = header({"claim or checkpoint", "asked", "why"});
  return {{Level::kError, "### What does not hold\n\n<table>\n" + problems, "</table>\n\n",
           problem_row},
          {Level::kWarning, "### What holds, with a warning\n\n<table>\n" + warnings,
           "</table>\n\n", problem_row},
          {Level::kPass, folded("What holds", counts.passes) + passes, "</table></details>\n\n",
           pass_row},
          {Level::kUnchanged, folded("Not decided again", counts.unchanged) + unchanged,
           "</table></details>\n\n", unchanged_row}};
}

std::string headline(const Summary& summary, const Counts& counts) {
  const std::size_t all = summary.findings.size();
  const std::size_t hold = counts.passes + counts.warnings;
  std::string text = "## sinkproof gate: ";
  if (!is_red(summary)) {
    text += fmt::format("green, {} of {} hold", hold, all);
  } else {
    text += fmt::format("red, {} of {} do not hold", counts.errors, all);
  }
  text += fmt::format("\n\n{} hold, {} of them with a warning; {} do not; {} not decided again",
                      hold, counts.warnings, counts.errors, counts.unchanged);
  return text + fmt::format(". Exit code {}: {}.\n\n", summary.exit_code,
                            exit_code_words(summary.exit_code));
}

std::string source(const Summary& summary) {
  std::string text = "<p>Asked by " + code(summary.config);
  if (!summary.base.empty()) text += "; only what changed since " + code(summary.base);
  return text + "</p>\n\n";
}

std::string left_out_sentence(std::size_t left_out) {
  if (left_out == 0) return "";
  return fmt::format(
      "Left out here: {}, because GitHub takes at most 1 MiB. The other files that the gate writes "
      "hold all rows.\n",
      text::counted(left_out, "row"));
}

}  // namespace

std::string step_summary(const Summary& summary, std::size_t most_bytes) {
  const Counts counts = counts_of(summary);
  std::string text = headline(summary, counts) + source(summary);
  std::size_t left_out = 0;
  for (const Section& section : sections(counts)) {
    std::string table;
    for (const Finding& finding : summary.findings) {
      if (finding.level != section.level) continue;
      const std::string row = section.row(finding);
      const std::size_t size = text.size() + section.open.size() + table.size() + row.size();
      const bool fits = left_out == 0 && size + kReserve <= most_bytes;
      if (fits) {
        table += row;
      } else {
        ++left_out;
      }
    }
    if (!table.empty()) text += section.open + table + section.close;
  }
  return text + left_out_sentence(left_out);
}

}  // namespace sinkproof::ci
