#include "report/language_moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/bound_text.hpp"
#include "report/chart/axis.hpp"
#include "report/chart/enclosure_map.hpp"
#include "report/chart/xy_chart.hpp"
#include "report/language_maps.hpp"
#include "rounded/double.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;

constexpr Look kLooks[] = {Look::kSink, Look::kDiagonal, Look::kSinkB, Look::kPlain};
constexpr Stroke kStrokes[] = {Stroke::kSolid, Stroke::kDashed, Stroke::kDotted};
constexpr std::size_t kNamedHeads = 4;  // of an ablation
constexpr std::size_t kCurves = std::size(kLooks) * std::size(kStrokes);

// What an intervention is judged by: the logits, of a model without any its output.
const Enclosure& end_of(const Moved& moved) {
  return moved.logits ? *moved.logits : moved.rows.back();
}

// A hundredfold and more between numbers that are more than 0 for certain.
bool spans_decades(const std::vector<Moved>& all) {
  double least = 0;
  double most = 0;
  for (const Moved& moved : all) {
    for (const Enclosure& one : moved.rows) {
      if (one.lower <= 0) continue;
      least = least == 0 ? drawable(one.lower) : std::min(least, drawable(one.lower));
      most = std::max(most, drawable(one.upper));
    }
  }
  return most >= 100 * least && least > 0;
}

Curve curve_of(const Moved& moved, std::size_t number) {
  Curve curve{intervention_name(moved.intervention),
              kLooks[number % std::size(kLooks)],
              kStrokes[number / std::size(kLooks)],
              {}};
  for (std::size_t l = 0; l < moved.rows.size(); ++l) {
    curve.points.push_back({exact::Rational(l), moved.rows[l].lower, moved.rows[l].upper});
  }
  return curve;
}

std::string chart_of(const LanguageAudit& audit, const std::vector<Moved>& all,
                     const std::string& anchor) {
  Chart chart;
  chart.evidence = evidence_tag(audit);
  chart.id = anchor + "-moved";
  chart.title = "Largest change of a row, by layer";
  chart.description =
      "One band for each intervention: bounds on the largest distance that a row moves, at the "
      "input of each layer and, at the right, at the output.";
  chart.x_label = "layer (last: output)";
  chart.y_label = "largest change of a row (norm)";
  chart.y_logarithmic = spans_decades(all);
  chart.y_from_zero = !chart.y_logarithmic;
  for (std::size_t i = 0; i < std::min(all.size(), kCurves); ++i) {
    chart.curves.push_back(curve_of(all[i], i));
  }
  return xy_chart(chart);
}

std::string number_cell(const LanguageAudit& audit, const char* label, const Enclosure& number) {
  return fmt::format(R"(<td class="num" data-label="{}" data-sort="{}">{}</td>)", label,
                     down(number.lower), number_text(audit, number));
}

// What it adds to the loss, and the perplexity with it.
std::string loss_cells(const LanguageAudit& audit, const Moved& moved) {
  if (!moved.loss_change) return "";
  const double loss = rounded::to_double_estimate(*audit.estimated->loss + *moved.loss_change);
  return number_cell(audit, "Loss", {*moved.loss_change, *moved.loss_change}) +
         fmt::format(R"(<td class="num" data-label="Perplexity">{:.4g}</td>)", std::exp(loss));
}

std::string table_of(const LanguageAudit& audit, const std::vector<Moved>& all) {
  const bool losses = audit.estimated && audit.estimated->loss;
  std::string rows;
  for (std::size_t i = 0; i < std::min(all.size(), kMostInterventions); ++i) {
    rows +=
        fmt::format(R"(<tr><th scope="row">{}</th>)", intervention_name(all[i].intervention)) +
        number_cell(audit, "Output rows", all[i].rows.back()) +
        (all[i].logits ? number_cell(audit, "Logits", *all[i].logits)
                       : "<td data-label=\"Logits\">none</td>") +
        loss_cells(audit, all[i]) +
        fmt::format("<td class=\"num\" data-label=\"Sequences\">{}</td></tr>\n", all[i].sequences);
  }
  return "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Interventions\"><table "
         "class=\"stack dense sortable\"><thead><tr><th scope=\"col\">Intervention</th>"
         "<th scope=\"col\">Output rows</th><th scope=\"col\">Logits</th>" +
         std::string(losses ? "<th scope=\"col\">Loss</th><th scope=\"col\">Perplexity</th>" : "") +
         "<th scope=\"col\">Sequences</th></tr></thead><tbody>\n" + rows +
         "</tbody></table></div>\n";
}

// Of each head, where each is ablated by itself.
std::optional<EnclosureField> ablations(const LanguageAudit& audit, const std::vector<Moved>& all) {
  EnclosureField field{audit.config.layers, audit.config.heads, {}};
  field.cells.resize(field.rows * field.columns);
  std::size_t count = 0;
  for (const Moved& moved : all) {
    if (moved.intervention.ablated.size() != 1) continue;
    const auto [layer, head] = moved.intervention.ablated.front();
    field.cells[layer * field.columns + head] = end_of(moved);
    ++count;
  }
  return count == field.cells.size() ? std::optional(std::move(field)) : std::nullopt;
}

std::string loss_words(const LanguageAudit& audit) {
  if (!audit.estimated || !audit.estimated->loss) return "";
  const double loss = rounded::to_double_estimate(*audit.estimated->loss);
  return fmt::format(
      " Loss: the nats per token that an intervention adds to the next-token loss, {:.4g} without "
      "any (perplexity {:.4g}), mean over sequences.",
      loss, std::exp(loss));
}

std::string ablation_map(const LanguageAudit& audit, const std::vector<Moved>& all,
                         const std::string& anchor) {
  const auto field = ablations(audit, all);
  if (!field) return "";
  EnclosureMap map =
      head_map(audit, anchor + "-ablated", "Each head without its first key", "change", *field);
  map.estimated = audit.estimated.has_value();
  map.words =
      all.front().logits ? "the largest change of a logit" : "the largest change of a row (norm)";
  const Shades shades = shades_of({&map.field});
  return shade_bars(shades, "changes") + "<div class=\"maps\">\n" + enclosure_map(map, shades) +
         "</div>\n";
}

}  // namespace

std::string intervention_name(const certificate::Intervention& intervention) {
  if (intervention.eviction) {
    const auto& eviction = *intervention.eviction;
    return fmt::format("first {}, window {}{}", eviction.first, eviction.window,
                       eviction.renumbered ? ", renumbered" : "");
  }
  std::string heads;
  for (std::size_t i = 0; i < std::min(intervention.ablated.size(), kNamedHeads); ++i) {
    const auto& [layer, head] = intervention.ablated[i];
    heads += fmt::format("{}layer {}, head {}", i == 0 ? "" : "; ", layer, head);
  }
  const std::size_t more =
      intervention.ablated.size() - std::min(intervention.ablated.size(), kNamedHeads);
  if (more > 0) heads += fmt::format("; {} more", more);
  return heads + " without key 1";
}

std::string move_block(const LanguageAudit& audit, const std::string& anchor) {
  auto all = moves(audit);
  if (all.empty()) return "";
  std::stable_sort(all.begin(), all.end(), [](const Moved& a, const Moved& b) {
    return end_of(a).lower > end_of(b).lower;
  });
  const auto some = [&](std::size_t most, const char* what) {
    return all.size() > most ? fmt::format(" {} the first {} of {}.", what, most, all.size()) : "";
  };
  return "<h4>Evictions and ablations" + evidence_tag(audit) + "</h4>\n<p class=\"quiet\">" +
         (audit.estimated ? "The" : "Bounds on the") +
         " largest change of a row (any token, any of the stated sequences) and of a logit." +
         loss_words(audit) +
         " An "
         "eviction keeps the first keys and a window in the cache, with the original positions or "
         "renumbered ones; an ablation hides the first key from the heads it names." +
         some(kCurves, "The chart shows") + some(kMostInterventions, "The table shows") + "</p>\n" +
         chart_of(audit, all, anchor) + table_of(audit, all) + ablation_map(audit, all, anchor);
}

}  // namespace sinkproof::report
