#include "ci/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ci/words.hpp"
#include "text/html.hpp"

namespace sinkproof::ci {
namespace {

using text::escape;

enum class Result { kHolds, kFailure, kError, kSkipped };

Result result_of(const Finding& finding) {
  if (finding.level == Level::kUnchanged) return Result::kSkipped;
  if (finding.level != Level::kError) return Result::kHolds;
  const bool not_asked = finding.exit_code == 2 || finding.exit_code == 5;
  return not_asked ? Result::kError : Result::kFailure;
}

struct Suite {
  std::string name;
  std::vector<const Finding*> cases;
};

std::vector<Suite> suites_of(const Summary& summary) {
  std::vector<Suite> suites;
  for (const Finding& finding : summary.findings) {
    const auto same = [&](const Suite& suite) { return suite.name == finding.suite; };
    auto suite = std::find_if(suites.begin(), suites.end(), same);
    if (suite == suites.end()) suite = suites.insert(suites.end(), Suite{finding.suite, {}});
    suite->cases.push_back(&finding);
  }
  return suites;
}

// ` name="text"`. A reader would turn a line feed or tab in an attribute into a space.
std::string attribute(std::string_view name, std::string_view text) {
  std::string value;
  for (const char c : escape(text)) {
    if (c == '\n' || c == '\t') {
      value += c == '\n' ? "&#10;" : "&#9;";
    } else {
      value += c;
    }
  }
  return fmt::format(" {}=\"{}\"", name, value);
}

std::string time_attribute(std::int64_t thousandths) {
  return fmt::format(" time=\"{}.{:03}\"", thousandths / 1000, thousandths % 1000);
}

std::string count_attributes(const std::vector<const Finding*>& cases) {
  const auto count = [&](Result result) {
    return std::count_if(cases.begin(), cases.end(),
                         [&](const Finding* one) { return result_of(*one) == result; });
  };
  return fmt::format(R"( tests="{}" failures="{}" errors="{}" skipped="{}")", cases.size(),
                     count(Result::kFailure), count(Result::kError), count(Result::kSkipped));
}

void add_line(std::string& text, std::string_view label, std::string_view value) {
  if (!value.empty()) text += fmt::format("{}: {}\n", label, value);
}

// Everything known of the finding, a line each.
std::string details(const Finding& finding) {
  std::string text = finding.message + "\n";
  add_line(text, "asked", asked_text(finding));
  add_line(text, "verdict", finding.verdict);
  add_line(text, "certified bounds", bounds_text(finding));
  add_line(text, "evidence", finding.evidence);
  for (const std::string& assumption : finding.assumptions) add_line(text, "rests on", assumption);
  add_line(text, "error code", finding.code);
  add_line(text, "certificate", finding.certificate);
  add_line(text, "certificate's SHA-256", finding.certificate_sha256);
  add_line(text, "subject's SHA-256", finding.subject_sha256);
  return text;
}

std::string problem(std::string_view element, const Finding& finding) {
  return fmt::format("\n      <{0}{1}{2}>{3}</{0}>\n    ", element, attribute("type", finding.rule),
                     attribute("message", finding.message), escape(details(finding)));
}

std::string content(const Finding& finding) {
  switch (result_of(finding)) {
    case Result::kFailure:
      return problem("failure", finding);
    case Result::kError:
      return problem("error", finding);
    case Result::kSkipped:
      return fmt::format("\n      <skipped{}/>\n    ", attribute("message", finding.message));
    case Result::kHolds:
      break;
  }
  const bool warns = finding.level == Level::kWarning;
  if (!warns && finding.overrides.empty()) return "";
  return fmt::format("\n      <system-out>{}{}</system-out>\n    ",
                     warns ? "warning " + escape(finding.rule) + ": " : "",
                     escape(details(finding)));
}

std::string test_case(const Finding& finding) {
  std::string start = "    <testcase";
  start += attribute("classname", "sinkproof." + finding.suite);
  start += attribute("name", finding.subject + ": " + asked_text(finding));
  if (!finding.location.file.empty()) {
    start += attribute("file", finding.location.file);
    start += attribute("line", std::to_string(finding.location.line));
  }
  start += time_attribute(milliseconds(finding.seconds));
  const std::string inside = content(finding);
  return inside.empty() ? start + "/>\n" : start + ">" + inside + "</testcase>\n";
}

std::string test_suite(const Suite& suite) {
  std::int64_t time = 0;
  std::string cases;
  for (const Finding* finding : suite.cases) {
    time += milliseconds(finding->seconds);
    cases += test_case(*finding);
  }
  return "  <testsuite" + attribute("name", suite.name) + count_attributes(suite.cases) +
         time_attribute(time) + ">\n" + cases + "  </testsuite>\n";
}

}  // namespace

std::string junit_xml(const Summary& summary) {
  std::vector<const Finding*> all;
  for (const Finding& finding : summary.findings) all.push_back(&finding);
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";
  xml += attribute("name", "sinkproof gate") + count_attributes(all);
  xml += time_attribute(milliseconds(summary.seconds)) + ">\n";
  for (const Suite& suite : suites_of(summary)) xml += test_suite(suite);
  return xml + "</testsuites>\n";
}

}  // namespace sinkproof::ci
