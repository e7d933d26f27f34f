#include "report/overview.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/beside_bounds.hpp"
#include "report/status.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using accept::shows_bounds;
using accept::Standing;
using accept::standing_of;
using text::escape;

// ---- verdicts

// What was counted, in the order in which it is to be shown, and how often.
using Tally = std::map<std::pair<Standing, std::string>, std::size_t>;

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
    const Standing standing = standing_of(outcome);
    ++verdicts[{standing, verdict_badge(*entry.input)}];
    if (shows_bounds(outcome)) ++evidence[{Standing::kAccepted, escape(outcome.evidence)}];
  }
  return fmt::format(
      R"(<tr><th scope="row">{}</th><td class="num" data-label="Certificates">{}</td>)"
      R"(<td data-label="Verdicts">{}</td><td data-label="Evidence of what holds">{}</td></tr>)"
      "\n",
      group.title, group.entries.size(), tally_list(verdicts),
      evidence.empty() ? "—" : tally_list(evidence));
}

// Without estimates, which have no verdict.
Group certificates_of(const Group& group) {
  Group certified{group.anchor, group.title, {}};
  for (const Entry& entry : group.entries) {
    if (!entry.input->estimate) certified.entries.push_back(entry);
  }
  return certified;
}

std::string verdict_table(const std::vector<Group>& groups) {
  std::string table =
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Verdicts by kind\">"
      "<table class=\"verdicts stack\"><thead><tr><th scope=\"col\">Kind</th>"
      "<th scope=\"col\">Certificates</th><th scope=\"col\">Verdicts</th>"
      "<th scope=\"col\">Evidence of what holds</th></tr></thead><tbody>\n";
  std::string rows;
  for (const Group& group : groups) {
    const auto certified = certificates_of(group);
    if (!certified.entries.empty()) rows += verdict_row(certified);
  }
  if (rows.empty()) return "";
  return table + rows + "</tbody></table></div>\n";
}

// ---- what needs attention

std::string attention_item(const Entry& entry, const std::string& badge, const std::string& why) {
  return fmt::format(R"(<li>{}<a href="#{}">{}</a>{}</li>)"
                     "\n",
                     badge, entry.anchor, escape(entry.label), why);
}

std::string not_accepted(const Entry& entry, Standing standing) {
  if (standing_of(entry.input->outcome) != standing) return "";
  std::string reasons = reason_text(entry.input->outcome);
  if (reasons.empty()) {
    reasons = standing == Standing::kPartly
                  ? "accepted in part; its card lists what was not verified"
                  : "no reason was given";
  }
  return attention_item(entry, verdict_badge(*entry.input), reasons);
}

std::string not_met(const Entry& entry, std::string_view verdict) {
  std::string list;
  for (const Threshold& threshold : entry.input->thresholds) {
    if (threshold.verdict != verdict) continue;
    list += attention_item(entry, threshold_badge(threshold),
                           escape(threshold.required + ": " + threshold.found));
  }
  return list;
}

std::string read_otherwise(const Entry& entry) {
  const Outcome& outcome = entry.input->outcome;
  const std::string reading =
      outcome.remarks.empty() ? certificate::overrides_text(outcome.overrides) : outcome.remarks;
  if (reading.empty() || standing_of(outcome) != Standing::kAccepted) return "";
  return attention_item(entry, verdict_badge(*entry.input), escape(reading));
}

std::string attention_list(const std::vector<Group>& groups, const std::string& on_trust) {
  std::string list;
  bool any = false;
  const auto add = [&](const auto& item, const auto&... more) {
    for (const Group& group : groups) {
      for (const Entry& entry : certificates_of(group).entries) {
        any = true;
        list += item(entry, more...);
      }
    }
  };
  add(not_accepted, Standing::kRejected);
  add(not_met, "refuted");
  add(not_accepted, Standing::kNotChecked);
  add(not_accepted, Standing::kPartly);
  add(not_met, "unknown");
  add(read_otherwise);
  if (!any) return "";
  return "<h2 id=\"attention\">What needs attention</h2>\n" +
         (list.empty()
              ? (on_trust.empty()
                     ? std::string(
                           "<p>Nothing: the checker accepted every certificate in full.</p>\n")
                     : "<p>No certificate was rejected. Steps of " + on_trust +
                           " were accepted without verification: run <code>sinkproof prove</code> "
                           "to "
                           "repeat them.</p>\n")
              : "<ul class=\"attention\">\n" + list + "</ul>\n");
}

// ---- contents

std::string contents_item(const Entry& entry) {
  const std::string word = verdict_word(*entry.input);
  const bool not_met = word == "refuted" || word == "unknown";
  const std::string flag = standing_of(entry.input->outcome) == Standing::kAccepted && !not_met
                               ? ""
                               : fmt::format(R"( <span class="{}">{}</span>)",
                                             entry.input->estimate ? "tag" : "flag", escape(word));
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

std::string overview(const std::vector<Group>& groups, const std::string& on_trust) {
  return verdict_table(groups) + attention_list(groups, on_trust) + contents(groups);
}

}  // namespace sinkproof::report
