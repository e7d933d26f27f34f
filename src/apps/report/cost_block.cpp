#include "report/cost_block.hpp"

#include <fmt/format.h>

#include "report/bound_text.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/status.hpp"
#include "rounded/decimal.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;
using exact::Rational;
using text::escape;

constexpr unsigned kShareDigits = 3;
constexpr unsigned kMarginDigits = 12;

// The margin is exact in the certificate; a long one is cut, and says so.
std::string margin_text(const Rational& margin) {
  const std::string text = rounded::decimal_down(margin, kMarginDigits);
  const bool whole = rounded::round_down_decimal(margin, kMarginDigits) == margin;
  return whole ? text : text + "…";
}

std::string gap_text(const Enclosure& cost) {
  if (cost.lower == cost.upper) return "exact";
  return rounded::decimal_up(100 * (cost.upper - cost.lower) / cost.upper, kShareDigits) + " %";
}

std::string closed_text(const CostFinding& finding) {
  if (!finding.closed) return "—";
  const Enclosure whole{finding.closed->lower.lower, finding.closed->upper.upper};
  return interval_text(whole);
}

std::string row(const CostFinding& finding, const Outcome& outcome) {
  const certificate::Pattern& pattern = finding.cost.pattern;
  return fmt::format(
      R"(<tr><th scope="row">{}<span class="file">{}</span></th><td class="num">{}</td>)"
      R"(<td class="num">{}<span class="side">{}proved</span></td>)"
      R"(<td class="num">{}<span class="side">{}attained</span></td>)"
      R"(<td class="num">{}</td><td class="num">{}</td><td>{}</td></tr>)"
      "\n",
      pattern_name(pattern.kind), roles_in_words(pattern), margin_text(pattern.margin),
      down(finding.cost.cost.lower), proved_sign(Side::kLower), up(finding.cost.cost.upper),
      attained_sign(Side::kUpper), gap_text(finding.cost.cost), closed_text(finding),
      property_badge(outcome, "enclosed"));
}

std::string table(const std::vector<CostFinding>& costs, const Outcome& outcome) {
  std::string text =
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Certified "
      "costs\"><table><thead><tr><th scope=\"col\">Pattern</th>"
      "<th scope=\"col\">Margin m</th><th scope=\"col\">Cost, at least</th>"
      "<th scope=\"col\">Cost, at most</th><th scope=\"col\">Gap</th>"
      "<th scope=\"col\">Closed forms</th><th scope=\"col\">Verdict</th></tr></thead><tbody>\n";
  for (const CostFinding& finding : costs) text += row(finding, outcome);
  return text +
         "</tbody></table></div>\n<p class=\"quiet\">Cost: the least ||W<sub>Q</sub>||² + "
         "||W<sub>K</sub>||² of factors whose scores xᵀW<sub>Q</sub>ᵀW<sub>K</sub>y have the "
         "pattern with margin m. A factorisation attains the upper bound; multipliers prove the "
         "lower bound (co-6). Gap: (upper − lower)/upper, rounded up. Sink, reading A: dormant "
         "tokens prefer BOS, and a copy query prefers its group; reading B: it also prefers BOS to "
         "what is outside its group.</p>\n";
}

// A name that fits beside the plot.
std::string short_name(const CostFinding& finding) {
  constexpr const char* kKinds[] = {"margins", "sink-A", "sink-B", "diagonal"};  // as PatternKind
  const certificate::Pattern& pattern = finding.cost.pattern;
  std::string margin = rounded::decimal_down(pattern.margin, 4);
  if (rounded::round_down_decimal(pattern.margin, 4) != pattern.margin) margin += "…";
  return fmt::format("{}, m = {}", kKinds[static_cast<std::size_t>(pattern.kind)], margin);
}

std::string plot(const std::vector<CostFinding>& costs) {
  std::vector<NamedInterval> intervals;
  intervals.reserve(costs.size());
  for (const CostFinding& finding : costs) {
    intervals.push_back({short_name(finding), finding.cost.cost.lower, finding.cost.cost.upper});
  }
  return interval_plot("Certified costs", "cost", intervals);
}

std::string ratio_words(const Comparison& comparison) {
  if (!comparison.ratio) return "";
  return fmt::format("; the diagonal costs {} to {} times as much as the sink",
                     down(comparison.ratio->lower), up(comparison.ratio->upper));
}

std::string comparison_words(const CostFinding& sink, const CostFinding& diagonal) {
  const Comparison comparison = compare_costs(sink.cost.cost, diagonal.cost.cost);
  const Enclosure& difference = comparison.difference;
  const std::string pair =
      fmt::format("{} against diagonal, m = {}: ", pattern_name(sink.cost.pattern.kind),
                  margin_text(sink.cost.pattern.margin));
  switch (comparison.cheaper) {
    case Cheaper::kSink:
      return pair + fmt::format("<strong>the sink is provably cheaper</strong>, by {} to {}{}",
                                down(difference.lower), up(difference.upper),
                                ratio_words(comparison));
    case Cheaper::kDiagonal:
      return pair + fmt::format("<strong>the diagonal is provably cheaper</strong>, by {} to {}{}",
                                down(-difference.upper), up(-difference.lower),
                                ratio_words(comparison));
    case Cheaper::kNotDecided:
      break;
  }
  return pair + fmt::format("<strong>not decided</strong>: diagonal minus sink lies in {}",
                            interval_text(difference));
}

// What co-5 says of the same pair, from the closed forms alone.
std::string closed_words(const CostFinding& sink, const CostFinding& diagonal) {
  if (!sink.closed || !diagonal.closed) return "";
  const bool decided = sink.closed->upper.upper < diagonal.closed->lower.lower;
  return decided ? ". The closed forms alone decide it too (co-5)"
                 : ". The closed forms alone leave it open (co-5)";
}

std::string comparisons(const std::vector<CostFinding>& costs) {
  std::string list;
  for (const CostFinding& sink : costs) {
    for (const CostFinding& diagonal : costs) {
      const certificate::Pattern& a = sink.cost.pattern;
      const certificate::Pattern& b = diagonal.cost.pattern;
      const bool pair = is_sink(a.kind) && b.kind == certificate::PatternKind::kDiagonal;
      if (!pair || a.margin != b.margin || !model::same_roles(a, b)) continue;
      list += "<li>" + comparison_words(sink, diagonal) + closed_words(sink, diagonal) + ".</li>\n";
    }
  }
  return list.empty() ? "" : "<ul class=\"found\">\n" + list + "</ul>\n";
}

std::string structure_words(const CostFinding& finding) {
  if (!finding.structure) {
    return fmt::format(
        "<p class=\"quiet\">The {} pattern has no closed forms here, because they need the "
        "structure of docs/THEORY_COSTS.md, section 5: {}.</p>\n",
        pattern_name(finding.cost.pattern.kind), escape(finding.why_not));
  }
  const model::SinkAndDiagonal& structure = *finding.structure;
  return fmt::format(
      "<p class=\"quiet\">The structure of docs/THEORY_COSTS.md, section 5, holds exactly for "
      "these tokens: d = {}, {}, λ² = {}, δ² = {}, Δ = {}, nuisance rank r<sub>η</sub> = {}, ||Σ|| "
      "in {}. "
      "Closed forms: co-1 to co-4 at κ = m/√d.</p>\n",
      structure.dimension, sizes_in_words(structure.sizes), margin_text(structure.lam_squared),
      margin_text(structure.noise_squared), margin_text(structure.separation), structure.noise_rank,
      interval_text(structure.covariance_norm));
}

}  // namespace

std::string cost_block(const std::vector<CostFinding>& costs, const Outcome& outcome) {
  if (costs.empty()) return "";
  std::string text = "<h4>Costs</h4>\n" + comparisons(costs) + plot(costs);
  text += table(costs, outcome);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const bool said = i > 0 && model::same_roles(costs[0].cost.pattern, costs[i].cost.pattern);
    if (!said) text += structure_words(costs[i]);
  }
  return text;
}

}  // namespace sinkproof::report
