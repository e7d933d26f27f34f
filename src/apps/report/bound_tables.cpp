#include "report/bound_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "report/bound_text.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/status.hpp"
#include "rounded/decimal.hpp"
#include "rounded/double.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using exact::Rational;
using text::escape;

constexpr unsigned kRatioDigits = 5;

struct Meaning {
  std::string_view name;
  std::string_view words;
};

constexpr std::array<Meaning, 7> kFamilies = {{
    {"sup-loss", "largest error"},
    {"bos-floor", "least BOS attention"},
    {"bos-ceiling", "largest BOS attention"},
    {"null-floor", "least attention on the null slot"},
    {"null-ceiling", "largest attention on the null slot"},
    {"rollout-floor", "least rollout on BOS (product of all layers’ attention)"},
    {"rollout-ceiling", "largest rollout on BOS (product of all layers’ attention)"},
}};

// Floors and ceilings leave row 1 out: BOS is its only key.
std::string rows_of(const Bound& bound) {
  const std::string name = bound.name.substr(0, bound.name.find(' '));
  if (name.ends_with(".pre")) return bound.is_loss ? "rows i < j" : "rows 2 ≤ i < j";
  if (name.ends_with(".trigger")) return "row i = j";
  if (name.ends_with(".post")) return "rows i > j";
  return "all rows";
}

std::string meaning(const Bound& bound, const Checkpoint& head) {
  std::string text;
  for (const Meaning& known : kFamilies) {
    if (known.name == bound.name.substr(0, bound.name.find('.'))) text = known.words;
  }
  text += ", " + rows_of(bound);
  const bool of_heads = !bound.is_loss && bound.paid != Paid::kRollout;
  if (head.num_heads * head.num_layers > 1 && of_heads && !bound.head) {
    text += ", over all heads";
  }
  text = escape(text);
  if (!bound.shared.empty()) text += fmt::format("; input of {}", escape(bound.shared));
  return text;
}

std::string bound_cell(const std::string& decimal, Side side, bool proved) {
  return fmt::format(R"(<td class="num" data-label="{}">{}<span class="side">{}{}</span></td>)",
                     side == Side::kLower ? "Lower" : "Upper", decimal,
                     proved ? proved_sign(side) : attained_sign(side),
                     proved ? "proved" : "attained");
}

// Outer over inner, at least 1; nothing where the inner is not positive.
std::optional<Rational> slack(const Bound& bound, const Checkpoint& head) {
  if (bound.lower == bound.upper) return Rational(1);
  const bool lacking = bound.is_floor && head.normalised;
  const Rational small = lacking ? Rational(1 - bound.upper) : bound.lower;
  const Rational large = lacking ? Rational(1 - bound.lower) : bound.upper;
  if (small <= 0) return std::nullopt;
  return Rational(large / small);
}

std::string slack_bar(const Rational& slack) {
  constexpr double kWidth = 60;
  const double decades = std::clamp(std::log10(rounded::to_double_estimate(slack)), 0.0, 1.0);
  return fmt::format(
      R"(<svg class="slack" viewBox="0 0 64 8" aria-hidden="true"><path class="grid" d="M2 4h{}"/>)"
      R"(<path class="excess" d="M2 4h{:.1f}"/></svg>)",
      kWidth, std::max(1.0, decades * kWidth));
}

std::string bound_row(const Bound& bound, const Checkpoint& head, const Outcome& outcome) {
  std::string row = fmt::format(
      R"(<tr><th scope="row"><span class="id">{}</span><span class="file">{}</span></th>)",
      escape(bound.name), meaning(bound, head));
  row += bound_cell(down(bound.lower), Side::kLower, bound.is_floor);
  row += bound_cell(up(bound.upper), Side::kUpper, !bound.is_floor);
  return row + ratio_cell(bound, head) +
         fmt::format(R"(<td data-label="Verdict">{}</td></tr>)"
                     "\n",
                     property_badge(outcome, bound.verdict));
}

std::string floor_cell(const std::optional<Rational>& floor) {
  if (!floor) return R"(<td class="num">—</td>)";
  return fmt::format(R"(<td class="num">≥ {}</td>)", down(*floor));
}

// "with probability at least 0.9, at confidence 99 %: ..." beside a floor that sampling implies.
std::string sampling_words(const Sampling& sampling, const Rational& eta) {
  const std::string limit = up(eta);
  return fmt::format(
      "<span class=\"side\">with probability ≥ {} for a random sequence</span>"
      "<span class=\"side\">at confidence {} %: of {} random sequences {} had a loss above {}, so "
      "that P[loss &gt; {}] ≤ {}</span>",
      down(sampling.probability), down(100 * (1 - sampling.alpha)), sampling.samples,
      sampling.exceeding, limit, limit, up(sampling.delta));
}

std::string implied_cell(const Theorem& theorem) {
  if (!theorem.sampling) return floor_cell(theorem.implied);
  return fmt::format("<td><span class=\"num\">≥ {}</span>{}</td>", down(*theorem.implied),
                     sampling_words(*theorem.sampling, theorem.eta));
}

std::string theorem_row(const Theorem& theorem, const Outcome& outcome) {
  return fmt::format(
      R"(<tr><th scope="row"><span class="id">{}</span></th><td class="num">{} {}</td>{}{}<td>{}</td></tr>)"
      "\n",
      escape(theorem.name), theorem.sampling ? "threshold" : "≤", up(theorem.eta),
      implied_cell(theorem), floor_cell(theorem.certified),
      property_badge(outcome, theorem.verdict));
}

}  // namespace

std::string ratio(const Bound& bound, const Checkpoint& head) {
  if (bound.lower == bound.upper) return "exact";
  const auto found = slack(bound, head);
  return found ? rounded::decimal_up(*found, kRatioDigits) : "—";
}

std::string ratio_cell(const Bound& bound, const Checkpoint& head) {
  const auto found = slack(bound, head);
  return fmt::format(R"(<td class="num" data-label="Ratio"{}>{}{}</td>)",
                     bound.lower == bound.upper ? R"( data-sort="1")" : "", ratio(bound, head),
                     found ? slack_bar(*found) : "");
}

std::string bound_table(const Checkpoint& head, const Outcome& outcome) {
  std::string table =
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Bounds of all "
      "properties\"><table class=\"stack\"><thead><tr><th scope=\"col\">Property</th>"
      "<th scope=\"col\">Lower</th><th scope=\"col\">Upper</th><th scope=\"col\">Ratio</th>"
      "<th scope=\"col\">Verdict</th></tr></thead><tbody>\n";
  for (const Bound& bound : head.bounds) table += bound_row(bound, head, outcome);
  return table +
         fmt::format(
             "</tbody></table></div>\n<p class=\"quiet\">j is the trigger’s position. Ratio: "
             "upper/lower{}. Rounded up.</p>\n",
             head.normalised ? "; for floors (1&nbsp;−&nbsp;lower)/(1&nbsp;−&nbsp;upper), the "
                               "bounds on the attention on other tokens"
                             : "");
}

std::string theorem_table(const Checkpoint& head, const Outcome& outcome) {
  if (head.theorems.empty()) return "";
  std::string table =
      "<h4>Theorems on this model</h4>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"Theorems on this model\"><table><thead><tr>"
      "<th scope=\"col\">Theorem</th><th scope=\"col\">Loss η</th>"
      "<th scope=\"col\">BOS floor it implies</th><th scope=\"col\">BOS floor certified</th>"
      "<th scope=\"col\">Hypothesis</th></tr></thead><tbody>\n";
  for (const Theorem& theorem : head.theorems) table += theorem_row(theorem, outcome);
  const bool sampled = std::any_of(head.theorems.begin(), head.theorems.end(),
                                   [](const Theorem& theorem) { return bool(theorem.sampling); });
  return table +
         fmt::format(
             "</tbody></table></div>\n<p class=\"quiet\">This table shows whether the theorem’s "
             "hypothesis holds for this model; the theorem itself has its own certificate.{}</p>\n",
             sampled ? " The sampled statement assumes that the sequences, which the checker draws "
                       "from digests of the model’s SHA-256, behave as independent samples."
                     : "");
}

}  // namespace sinkproof::report
