#include "report/switch_block.hpp"

#include <fmt/format.h>

#include <vector>

#include "report/bound_text.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/chart/xy_chart.hpp"
#include "report/status.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;
using exact::Rational;

constexpr int kSteps = 4;  // between the points of a table

// "0, 1, 2, 7 to 9": at most eight runs, then how many there are.
std::string numbers_text(const std::vector<std::size_t>& numbers) {
  constexpr std::size_t kRuns = 8;
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (runs++ == kRuns) return text + fmt::format(", … ({} in all)", numbers.size());
    text += text.empty() ? "" : ", ";
    text +=
        last > i ? fmt::format("{} to {}", numbers[i], numbers[last]) : std::to_string(numbers[i]);
    i = last + 1;
  }
  return text;
}

std::string distance_words(const HullDistance& hull, bool values) {
  if (hull.squared.lower > 0) {
    return values ? "no weights over these keys give a smaller output"
                  : "some direction has a positive product with each";
  }
  if (hull.squared.upper == 0) {
    return values ? "some weights give an output of exactly zero"
                  : "as queries, no sink pattern with a common key can be represented (ge-2)";
  }
  return "not decided whether the hull holds the origin";
}

std::string hull_row(const HullDistance& hull, bool values, const Outcome& outcome) {
  const Enclosure distance = rounded::square_root(hull.squared);
  return fmt::format(
      R"(<tr><th scope="row">{}</th><td class="num">{}</td><td>{}</td><td>{}</td></tr>)"
      "\n",
      numbers_text(hull.vectors), interval_text(distance), distance_words(hull, values),
      property_badge(outcome, "enclosed"));
}

std::string hull_table(const Vectors& vectors, const Outcome& outcome) {
  const bool values = vectors.source.head.has_value();
  std::string rows;
  for (const VectorProperty& property : vectors.properties) {
    if (const auto* hull = std::get_if<HullDistance>(&property)) {
      rows += hull_row(*hull, values, outcome);
    }
  }
  if (rows.empty()) return "";
  return fmt::format(
             "<h4>Distance of the hull from the origin</h4>\n<p>{}</p>\n",
             values ? "The smallest output that attention weights over these keys can produce "
                      "(sw-3)."
                    : "The distance from the origin to the convex hull of these vectors (sw-3, "
                      "ge-2).") +
         "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Distances of "
         "hulls\"><table><thead><tr><th scope=\"col\">Vectors</th>"
         "<th scope=\"col\">Distance</th><th scope=\"col\">Meaning</th>"
         "<th scope=\"col\">Verdict</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

// sw-1: |o| <= eta < g forces at least this on the anchor.
Rational floor_at(const Switch& head, const Rational& eta) {
  return (head.gap - eta) / (head.gap + head.anchor_loss);
}

// sw-2: 1 - eps on the anchor bounds |o| by this.
Rational output_at(const Switch& head, const Rational& eps) {
  return head.anchor_norm + eps * head.spread;
}

IntervalAt at(const Rational& x, const Rational& y) { return {x, y, y}; }

Chart floor_chart(const Switch& head, const std::string& id) {
  Chart chart;
  chart.id = id + "-floor";
  chart.title = "Attention on the anchor that a small output implies";
  chart.description = fmt::format(
      "A falling line: from attention {} on the anchor if the output is zero to 0 if the output "
      "norm may reach the gap, {}.",
      down(floor_at(head, 0)), down(head.gap));
  chart.x_label = "output norm η";
  chart.y_label = "attention on the anchor, at least";
  chart.curves = {{"a₀ ≥ (g − η)/(g + w), sw-1",
                   Look::kSink,
                   Stroke::kSolid,
                   {at(0, floor_at(head, 0)), at(head.gap, 0)}}};
  return chart;
}

Chart output_chart(const Switch& head, const std::string& id) {
  Chart chart;
  chart.id = id + "-output";
  chart.title = "Output that remains at a given attention on the anchor";
  chart.description = fmt::format(
      "A rising line: the output is at most {} when all attention is on the anchor, at most {} "
      "when "
      "none is.",
      up(output_at(head, 0)), up(output_at(head, 1)));
  chart.x_label = "attention elsewhere ε";
  chart.y_label = "output norm, at most";
  chart.curves = {{"|o| ≤ r + ε s, sw-2",
                   Look::kDiagonal,
                   Stroke::kSolid,
                   {at(0, output_at(head, 0)), at(1, output_at(head, 1))}}};
  return chart;
}

std::string switch_table(const Switch& head) {
  std::string rows;
  for (int i = 0; i < kSteps; ++i) {
    const Rational share = exact::make_rational(i, kSteps);
    const Rational eta = share * head.gap;
    rows +=
        fmt::format(R"(<tr><td class="num">{}</td><td class="num">≥ {}</td><td class="num">{}</td>)"
                    R"(<td class="num">≤ {}</td></tr>)"
                    "\n",
                    down(eta), down(floor_at(head, eta)), down(share), up(output_at(head, share)));
  }
  return "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"What a small output "
         "implies\"><table class=\"dense\"><thead><tr><th scope=\"col\">Output η</th><th "
         "scope=\"col\">implies a₀</th><th scope=\"col\">Attention elsewhere ε</th><th "
         "scope=\"col\">output norm |o|</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

// Whether the anchor alone switches the head off as far as sw-1 asks.
std::string own_output_words(const Switch& head) {
  if (head.anchor_norm >= head.gap) {
    return "The anchor’s own value may be as large as the gap, so a small output implies nothing.";
  }
  return fmt::format(
      "An output no larger than the anchor’s own value implies attention of at least {} on the "
      "anchor.",
      down(floor_at(head, head.anchor_norm)));
}

std::string switch_text(const Switch& head, const std::string& id, const Outcome& outcome) {
  std::string text = fmt::format(
      "<h4>Switch on token {}</h4>\n<p>A head that attends to the anchor alone writes almost "
      "nothing: it is switched off. How much attention this takes depends on the values: their "
      "distance from the anchor’s value, and the norm of the anchor’s value.</p>\n<p>{} For all "
      "attention weights over the anchor, token {}, and tokens {}: gap g ≥ {}, loss w ≤ {}, anchor "
      "norm r ≤ {}, spread s ≤ {}. {}</p>\n",
      head.anchor, property_badge(outcome, "proved"), head.anchor, numbers_text(head.others),
      down(head.gap), up(head.anchor_loss), up(head.anchor_norm), up(head.spread),
      own_output_words(head));
  return text + "<div class=\"pair\"><div>" + xy_chart(floor_chart(head, id)) + "</div><div>" +
         xy_chart(output_chart(head, id)) + "</div></div>\n" + switch_table(head);
}

}  // namespace

std::string switch_block(const Vectors& vectors, const std::string& id, const Outcome& outcome) {
  std::string text = hull_table(vectors, outcome);
  std::size_t number = 0;
  for (const VectorProperty& property : vectors.properties) {
    if (const auto* head = std::get_if<Switch>(&property)) {
      text += switch_text(*head, fmt::format("{}-switch-{}", id, ++number), outcome);
    }
  }
  return text;
}

}  // namespace sinkproof::report
