#include "ci/step_summary.hpp"

#include <catch2/catch.hpp>
#include <regex>

#include "summaries.hpp"

using namespace sinkproof::ci;
using namespace sinkproof::ci::test;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::size_t left_out(const std::string& text) {
  static const std::regex sentence("\n[^\n|]*: ([0-9]+) rows?, because");
  std::smatch match;
  return std::regex_search(text, match, sentence) ? std::stoul(match[1].str()) : 0;
}

std::size_t rows(const std::string& text) { return count(text, "<tr><td>"); }

}  // namespace

TEST_CASE("Step summary: the headline says the colour and the counts in words") {
  const std::string good = step_summary(green());
  CHECK(good.starts_with("## sinkproof gate: green, 2 of 2 hold\n\n"));
  CHECK(good.find("What does not hold") == std::string::npos);
  const std::string bad = step_summary(mixed());
  CHECK(bad.starts_with(
      "## sinkproof gate: red, 6 of 10 do not hold\n\n3 hold, 1 of them with a warning; 6 do not; "
      "1 not decided again. Exit code 5: internal error, or two checkers or solvers "
      "disagree.\n"));
  CHECK(bad.find("only what changed since <code>main</code>") != std::string::npos);
}

TEST_CASE("Step summary: an exit code other than 0 is red even without a finding that says so") {
  Summary summary = green();
  summary.exit_code = 5;
  CHECK(step_summary(summary).starts_with("## sinkproof gate: red, "));
}

TEST_CASE("Step summary: problems, warnings, what holds, what did not change") {
  const std::string text = step_summary(mixed());
  const auto at = [&](const std::string& part) {
    INFO(part);
    REQUIRE(count(text, part) == 1);
    return text.find(part);
  };
  CHECK(at("<code>wide</code>") < at("<code>own-1</code>"));
  CHECK(at("<code>weak</code>") < at("<code>own-1</code>"));
  CHECK(at("<code>own-1</code>") < at("<summary>What holds: 2</summary>"));
  CHECK(at("<code>Coq&#39;s word: necessity.v; tc-3</code>") < at("<summary>Not decided again: 1"));
  CHECK(at("<code>[0.5, 0.51]</code>") < at("<b>SP1719</b> input missing or malformed: "));
  CHECK(rows(text) == 10);
  CHECK(left_out(text) == 0);
}

TEST_CASE("Step summary: hostile names cannot leave their cell") {
  const std::string text = step_summary(hostile());
  CHECK(count(text, "<b>") == 3);   // the codes of two problems and a warning
  CHECK(count(text, "\n##") == 2);  // the sections' own headings
  CHECK(count(text, "\x1b") == 0);
  CHECK(rows(text) == 5);
  // No row ends before its own end, and no blank line ends a table early.
  static const std::regex table("<table>\n(?:<tr>[^\n]*</tr>\n)+</table>");
  std::string rest = text;
  std::size_t tables = 0;
  for (std::smatch match; std::regex_search(rest, match, table); ++tables) rest = match.suffix();
  CHECK(tables == 4);
}

TEST_CASE("Step summary: what has no room is left out from the end, and said") {
  const Summary summary = many(6000, 1000);
  const std::string text = step_summary(summary);
  CHECK(text.size() <= kStepSummaryBytes);
  CHECK(text.size() > kStepSummaryBytes - 3000);
  CHECK(rows(text) + left_out(text) == 7000);
  CHECK(left_out(text) > 1000);
  CHECK(count(text, "<code>w-") == 0);  // problems come first
  CHECK(count(text, "<table>") == count(text, "</table>"));
  const std::string small = step_summary(many(100, 100), 32768);
  CHECK(small.size() <= 32768);
  CHECK(rows(small) + left_out(small) == 200);
  CHECK(rows(small) > 50);
}

TEST_CASE("Step summary: one endless name does not push out the others") {
  Summary summary = many(3, 0);
  summary.findings[0].subject = std::string(3'000'000, '"');
  summary.findings[0].message = std::string(3'000'000, '&');
  const std::string text = step_summary(summary);
  CHECK(text.size() < 100'000);
  CHECK(rows(text) == 3);
}

TEST_CASE("Step summary: times do not show") {
  Summary later = mixed();
  later.seconds += 1;
  for (Finding& finding : later.findings) finding.seconds += 1;
  CHECK(step_summary(later) == step_summary(mixed()));
}
