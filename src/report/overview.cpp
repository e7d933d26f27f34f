#include "report/overview.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "report/html_text.hpp"
#include "report/status.hpp"

namespace sinkproof::report {
namespace {

// ---- verdicts

// What was counted, in the order in which it is to be shown, and how often.
using Tally = std::map<std::pair<Status, std::string>, std::size_t>;

std::string tally_list(const Tally& tally) {
  std::string list = R"(<ul class="tally">)";
  for (const auto& [what, count] : tally) {
    list += fmt::format(R"(<li>{} <span class="num">{}</span></li>)", what.second, count);
  }
  return list + "</ul>";
}

std::string verdict_row(const Group& group) {
  Tally verdicts;
  Tally evidence;
  for (const Entry& entry : group.entries) {
    const Outcome& outcome = entry.input->outcome;
    const Status status = status_of(outcome);
    ++verdicts[{status, verdict_badge(outcome)}];
    if (shows_bounds(status)) ++evidence[{Status::kAccepted, escape(outcome.evidence)}];
  }
  return fmt::format(
      R"(<tr><th scope="row">{}</th><td class="num" data-label="Certificates">{}</td>)"
      R"(<td data-label="Verdicts">{}</td><td data-label="Evidence of what holds">{}</td></tr>)"
      "\n",
      group.title, group.entries.size(), tally_list(verdicts),
      evidence.empty() ? "—" : tally_list(evidence));
}

std::string verdict_table(const std::vector<Group>& groups) {
  std::string table =
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Verdicts by kind\">"
      "<table class=\"verdicts stack\"><thead><tr><th scope=\"col\">Kind</th>"
      "<th scope=\"col\">Certificates</th><th scope=\"col\">Verdicts</th>"
      "<th scope=\"col\">Evidence of what holds</th></tr></thead><tbody>\n";
  for (const Group& group : groups) {
    if (!group.entries.empty()) table += verdict_row(group);
  }
  return table + "</tbody></table></div>\n";
}

// ---- what needs attention

std::string attention_item(const Entry& entry) {
  std::string reasons = reasons_text(entry.input->outcome);
  if (reasons.empty() && status_of(entry.input->outcome) == Status::kPartly) {
    reasons = "accepted in part; its card says what it rests on";
  }
  return fmt::format(R"(<li>{}<a href="#{}">{}</a>{}</li>)"
                     "\n",
                     verdict_badge(entry.input->outcome), entry.anchor, escape(entry.label),
                     reasons.empty() ? "no reason was given" : reasons);
}

std::string attention_list(const std::vector<Group>& groups) {
  std::string list;
  for (const Status status : std::array{Status::kRejected, Status::kNotChecked, Status::kPartly}) {
    for (const Group& group : groups) {
      for (const Entry& entry : group.entries) {
        if (status_of(entry.input->outcome) == status) list += attention_item(entry);
      }
    }
  }
  return "<h2 id=\"attention\">What needs attention</h2>\n" +
         (list.empty() ? "<p>Nothing: the checker accepted every certificate in full.</p>\n"
                       : "<ul class=\"attention\">\n" + list + "</ul>\n");
}

// ---- contents

std::string contents_item(const Entry& entry) {
  const Outcome& outcome = entry.input->outcome;
  const std::string flag =
      status_of(outcome) == Status::kAccepted
          ? ""
          : fmt::format(R"( <span class="flag">{}</span>)", escape(verdict_word(outcome)));
  return fmt::format(R"(<li><a href="#{}">{}</a>{}</li>)", entry.anchor, escape(entry.label), flag);
}

std::string contents(const std::vector<Group>& groups) {
  std::string list =
      "<nav id=\"contents\" aria-labelledby=\"contents-title\">\n"
      "<h2 id=\"contents-title\">Contents</h2>\n<dl class=\"contents\">\n";
  for (const Group& group : groups) {
    list += fmt::format(R"(<dt><a href="#{}">{}</a></dt>)", group.anchor, group.title);
    if (!group.entries.empty()) {
      list += "<dd><ul>";
      for (const Entry& entry : group.entries) list += contents_item(entry);
      list += "</ul></dd>";
    }
    list += "\n";
  }
  return list + "</dl>\n</nav>\n";
}

}  // namespace

std::string section_heading(const std::string& title) {
  return fmt::format("<h2>{} <a class=\"up\" href=\"#contents\">Contents</a></h2>\n", title);
}

std::string overview(const std::vector<Group>& groups) {
  return verdict_table(groups) + attention_list(groups) + contents(groups);
}

}  // namespace sinkproof::report
