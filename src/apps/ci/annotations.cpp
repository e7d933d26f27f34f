#include "ci/annotations.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "ci/rules.hpp"
#include "ci/words.hpp"
#include "text/printable.hpp"

namespace sinkproof::ci {
namespace {

using text::printable;
using text::shortened;

constexpr std::size_t kMessageBytes = 8000;  // GitHub keeps 64 KiB
constexpr std::size_t kTitleBytes = 200;     // and titles of 255 characters

// What stands for `c` in a message, or in a property; "" when it stands for itself.
std::string_view encoded(char c, bool property) {
  if (c == '%') return "%25";
  if (c == '\r') return "%0D";
  if (c == '\n') return "%0A";
  if (property && c == ':') return "%3A";
  if (property && c == ',') return "%2C";
  return {};
}

// Encodes first: a carriage return is then printable, and no printable character needs it.
std::string encode(std::string_view text, bool property) {
  std::string result;
  for (const char c : text) {
    const std::string_view code = encoded(c, property);
    if (code.empty()) {
      result += c;
    } else {
      result += code;
    }
  }
  return printable(result);
}

// Never shortened: a path that was cut would be another's.
std::string place(const Location& location) {
  if (location.file.empty()) return "";
  return fmt::format("file={},line={},col={},", encode(location.file, true), location.line,
                     location.column);
}

std::string command(std::string_view level, const Location& location, const std::string& title,
                    const std::string& message) {
  return fmt::format("::{} {}title={}::{}\n", level, place(location),
                     encode(shortened(title, kTitleBytes), true),
                     encode(shortened(message, kMessageBytes), false));
}

std::string message_of(const Finding& finding) {
  std::string message = finding_sentence(finding);
  const std::string bounds = bounds_text(finding);
  if (!bounds.empty()) message += "\ncertified bounds: " + bounds;
  if (!finding.code.empty()) message += "\nerror code: " + finding.code;
  return message;
}

std::string commands(std::string_view level, const std::vector<const Finding*>& findings,
                     const Summary& summary) {
  const bool all = findings.size() <= kShownAnnotations;
  const std::size_t shown = all ? findings.size() : kShownAnnotations - 1;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& finding = *findings[i];
    const Rule& rule = rules()[rule_index(finding)];
    text += command(level, finding.location,
                    fmt::format("{} {}: {}", rule.code, rule.title, finding.subject),
                    message_of(finding));
  }
  if (all) return text;
  return text + command(level, {summary.config, 1, 1}, "sinkproof gate",
                        fmt::format("{} more of this level are not shown here; the other files the "
                                    "gate writes hold all of them",
                                    findings.size() - shown));
}

std::string unchanged_notice(const Summary& summary) {
  const std::size_t unchanged = counts_of(summary).unchanged;
  if (unchanged == 0) return "";
  return command(
      "notice", {summary.config, 1, 1}, "sinkproof gate",
      fmt::format("{} of {} not decided again: nothing they depend on changed{}", unchanged,
                  summary.findings.size(), summary.base.empty() ? "" : " since " + summary.base));
}

}  // namespace

std::string annotations(const Summary& summary) {
  std::vector<const Finding*> errors;
  std::vector<const Finding*> warnings;
  for (const Finding& finding : summary.findings) {
    if (finding.level == Level::kError) errors.push_back(&finding);
    if (finding.level == Level::kWarning) warnings.push_back(&finding);
  }
  return commands("error", errors, summary) + commands("warning", warnings, summary) +
         unchanged_notice(summary);
}

}  // namespace sinkproof::ci
