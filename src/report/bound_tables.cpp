#include "report/bound_tables.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "exact/decimal.hpp"
#include "report/html_text.hpp"
#include "report/interval_plot.hpp"
#include "report/status.hpp"

namespace sinkproof::report {
namespace {

using exact::Rational;

constexpr unsigned kRatioDigits = 5;

struct Meaning {
  std::string_view name;
  std::string_view words;
};

constexpr std::array<Meaning, 9> kMeanings = {{
    {"sup-loss", "largest error, all rows"},
    {"sup-loss.pre", "largest error, rows i < j"},
    {"sup-loss.trigger", "largest error, row i = j"},
    {"sup-loss.post", "largest error, rows i > j"},
    {"bos-floor.pre", "least BOS attention, rows 2 ≤ i < j"},
    {"bos-floor.post", "least BOS attention, rows i > j"},
    {"bos-ceiling.pre", "largest BOS attention, rows 2 ≤ i < j"},
    {"bos-ceiling.trigger", "largest BOS attention, row i = j"},
    {"bos-ceiling.post", "largest BOS attention, rows i > j"},
}};

std::string meaning(const Bound& bound) {
  std::string text;
  for (const Meaning& known : kMeanings) {
    if (known.name == bound.name) text = escape(known.words);
  }
  if (!bound.shared.empty()) text += fmt::format("; input of {}", escape(bound.shared));
  return text;
}

// How far the two sides are apart, rounded up: upper/lower, for a floor the same of what BOS lacks.
std::string ratio(const Bound& bound) {
  if (bound.lower == bound.upper) return "exact";
  const Rational small = bound.is_floor ? Rational(1 - bound.upper) : bound.lower;
  const Rational large = bound.is_floor ? Rational(1 - bound.lower) : bound.upper;
  if (small <= 0) return "—";
  return exact::decimal_up(large / small, kRatioDigits);
}

std::string bound_cell(const std::string& decimal, Side side, bool proved) {
  return fmt::format(R"(<td class="num">{}<span class="side">{}{}</span></td>)", decimal,
                     proved ? proved_sign(side) : attained_sign(side),
                     proved ? "proved" : "attained");
}

std::string bound_row(const Bound& bound, const Outcome& outcome) {
  std::string row = fmt::format(
      R"(<tr><th scope="row"><span class="id">{}</span><span class="file">{}</span></th>)",
      escape(bound.name), meaning(bound));
  row += bound_cell(exact::decimal_down(bound.lower, kBoundDigits), Side::kLower, bound.is_floor);
  row += bound_cell(exact::decimal_up(bound.upper, kBoundDigits), Side::kUpper, !bound.is_floor);
  return row + fmt::format(R"(<td class="num">{}</td><td>{}</td></tr>)"
                           "\n",
                           ratio(bound), property_badge(outcome, bound.verdict));
}

std::string floor_cell(const std::optional<Rational>& floor) {
  if (!floor) return R"(<td class="num">—</td>)";
  return fmt::format(R"(<td class="num">≥ {}</td>)", exact::decimal_down(*floor, kBoundDigits));
}

std::string theorem_row(const Theorem& theorem, const Outcome& outcome) {
  return fmt::format(
      R"(<tr><th scope="row"><span class="id">{}</span></th><td class="num">≤ {}</td>{}{}<td>{}</td></tr>)"
      "\n",
      escape(theorem.name), exact::decimal_up(theorem.eta, kBoundDigits),
      floor_cell(theorem.implied), floor_cell(theorem.certified),
      property_badge(outcome, theorem.verdict));
}

}  // namespace

std::string bound_table(const Checkpoint& head, const Outcome& outcome) {
  std::string table =
      "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Property</th>"
      "<th scope=\"col\">Lower</th><th scope=\"col\">Upper</th><th scope=\"col\">Ratio</th>"
      "<th scope=\"col\">Verdict</th></tr></thead><tbody>\n";
  for (const Bound& bound : head.bounds) table += bound_row(bound, outcome);
  return table +
         "</tbody></table></div>\n<p class=\"quiet\">j is the trigger’s position. Ratio: "
         "upper/lower; for floors "
         "(1&nbsp;−&nbsp;lower)/(1&nbsp;−&nbsp;upper), the bounds on the attention BOS lacks. "
         "Rounded up.</p>\n";
}

std::string theorem_table(const Checkpoint& head, const Outcome& outcome) {
  if (head.theorems.empty()) return "";
  std::string table =
      "<h4>Theorems on this head</h4>\n<div class=\"scroll\"><table><thead><tr>"
      "<th scope=\"col\">Theorem</th><th scope=\"col\">Sup loss η</th>"
      "<th scope=\"col\">BOS floor it implies</th><th scope=\"col\">BOS floor certified</th>"
      "<th scope=\"col\">Hypothesis</th></tr></thead><tbody>\n";
  for (const Theorem& theorem : head.theorems) table += theorem_row(theorem, outcome);
  return table +
         "</tbody></table></div>\n<p class=\"quiet\">What is decided here is that the theorem’s "
         "hypothesis holds for this head; that the theorem is true rests on its own certificate."
         "</p>\n";
}

}  // namespace sinkproof::report
