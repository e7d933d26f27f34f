#include "report/training_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "report/bound_text.hpp"
#include "report/chart/xy_chart.hpp"
#include "report/language_moves.hpp"
#include "rounded/double.hpp"

namespace sinkproof::report {
namespace {

using exact::Rational;

constexpr Look kLooks[] = {Look::kSink, Look::kDiagonal, Look::kSinkB, Look::kPlain};
constexpr Stroke kStrokes[] = {Stroke::kSolid, Stroke::kDashed, Stroke::kDotted};
constexpr std::size_t kCurves = std::size(kLooks) * std::size(kStrokes);

// The share of (sequence, layer, head) above epsilon.
Rational share_of(const LanguageAudit& audit, LanguageReadout readout) {
  const std::vector<std::size_t>& above = audit.estimated->above.at(readout);
  const std::size_t all = audit.estimated->sequences * above.size();
  return exact::make_rational(std::accumulate(above.begin(), above.end(), std::size_t{0}), all);
}

struct LargestHead {
  std::size_t layer = 0;
  std::size_t head = 0;
  Rational alpha;
};

LargestHead largest_head(const LanguageAudit& audit) {
  const EnclosureField& alpha = audit.estimated->heads.at(LanguageReadout::kAlpha);
  const auto most =
      std::max_element(alpha.cells.begin(), alpha.cells.end(),
                       [](const auto& a, const auto& b) { return a.lower < b.lower; });
  const auto at = static_cast<std::size_t>(most - alpha.cells.begin());
  return {at / alpha.columns, at % alpha.columns, most->lower};
}

const Moved* moved_by(const LanguageAudit& audit, const certificate::Intervention& intervention) {
  const auto& all = audit.estimated->moved;
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Moved& one) { return one.intervention == intervention; });
  return found == all.end() || !found->loss_change ? nullptr : &*found;
}

template <typename Number>
Curve curve_of(const std::vector<AuditedStep>& steps, const std::string& name, std::size_t number,
               Number of) {
  Curve curve{name, kLooks[number % std::size(kLooks)], kStrokes[number / std::size(kLooks)], {}};
  for (const auto& [step, audit] : steps) {
    const Rational value = of(*audit);
    curve.points.push_back({Rational(step), value, value});
  }
  return curve;
}

Chart chart_of(const AuditedStep& first, const std::string& id, const std::string& title,
               const std::string& y_label) {
  Chart chart;
  chart.id = "training-" + id;
  chart.title = title;
  chart.description = "One curve for each name in the key, with a point for each checkpoint.";
  chart.x_label = "training step";
  chart.y_label = y_label;
  chart.evidence = evidence_tag(*first.audit);
  return chart;
}

std::string share_chart(const std::vector<AuditedStep>& steps) {
  Chart chart = chart_of(steps.front(), "shares", "Sinks over training steps", "share");
  const std::string epsilon = exact::to_string(steps.front().audit->estimated->epsilon);
  chart.curves = {
      curve_of(steps, "heads above " + epsilon, 0,
               [](const LanguageAudit& audit) { return share_of(audit, LanguageReadout::kAlpha); }),
      curve_of(
          steps, "value-weighted", 1,
          [](const LanguageAudit& audit) { return share_of(audit, LanguageReadout::kValueAlpha); }),
      curve_of(steps, "largest mean attention of a head", 3,
               [](const LanguageAudit& audit) { return largest_head(audit).alpha; })};
  return xy_chart(chart);
}

bool all_have_loss(const std::vector<AuditedStep>& steps) {
  return std::all_of(steps.begin(), steps.end(),
                     [](const AuditedStep& one) { return one.audit->estimated->loss.has_value(); });
}

std::string loss_chart(const std::vector<AuditedStep>& steps) {
  if (!all_have_loss(steps)) return "";
  Chart chart = chart_of(steps.front(), "loss", "Next-token loss over training steps",
                         "loss (nats per token)");
  chart.y_from_zero = false;
  chart.curves = {curve_of(steps, "loss", 3,
                           [](const LanguageAudit& audit) { return *audit.estimated->loss; })};
  return xy_chart(chart);
}

std::string change_chart(const std::vector<AuditedStep>& steps) {
  Chart chart = chart_of(steps.front(), "changes", "What interventions add to the loss",
                         "change of loss (nats per token)");
  for (const Moved& moved : steps.front().audit->estimated->moved) {
    const bool everywhere = std::all_of(steps.begin(), steps.end(), [&](const AuditedStep& one) {
      return moved_by(*one.audit, moved.intervention) != nullptr;
    });
    if (!everywhere || chart.curves.size() == kCurves) continue;
    chart.curves.push_back(curve_of(steps, intervention_name(moved.intervention),
                                    chart.curves.size(), [&](const LanguageAudit& audit) {
                                      return *moved_by(audit, moved.intervention)->loss_change;
                                    }));
  }
  return chart.curves.empty() ? "" : xy_chart(chart);
}

std::string cell(const char* label, const std::string& text) {
  return fmt::format(R"(<td class="num" data-label="{}">{}</td>)", label, text);
}

std::string table(const std::vector<AuditedStep>& steps) {
  std::string rows;
  for (const auto& [step, audit] : steps) {
    const LargestHead head = largest_head(*audit);
    const auto& loss = audit->estimated->loss;
    rows += fmt::format(R"(<tr><th scope="row" class="num" data-sort="{0}">step {0}</th>)", step) +
            cell("Sink share", estimate_text(share_of(*audit, LanguageReadout::kAlpha))) +
            cell("Value-weighted", estimate_text(share_of(*audit, LanguageReadout::kValueAlpha))) +
            cell("Largest alpha", fmt::format("{} (layer {}, head {})", estimate_text(head.alpha),
                                              head.layer, head.head)) +
            cell("Loss", loss ? estimate_text(*loss) : "—") +
            cell("Perplexity",
                 loss ? fmt::format("{:.4g}", std::exp(rounded::to_double_estimate(*loss))) : "—") +
            "</tr>\n";
  }
  return "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Training "
         "steps\"><table class=\"stack dense sortable\"><thead><tr><th scope=\"col\">Step</th>"
         "<th scope=\"col\">Sink share</th><th scope=\"col\">Value-weighted</th>"
         "<th scope=\"col\">Largest alpha</th><th scope=\"col\">Loss</th>"
         "<th scope=\"col\">Perplexity</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

}  // namespace

std::string training_curves(const std::vector<AuditedStep>& steps) {
  if (steps.size() < 2) return "";
  return "<article class=\"card\" id=\"training\">\n<h3>Over training steps" +
         evidence_tag(*steps.front().audit) +
         fmt::format(
             "</h3>\n<p class=\"quiet\">Each checkpoint was audited by itself, at position "
             "{}; the order and the steps are those given with --steps.</p>\n",
             steps.front().audit->estimated->position) +
         "<div class=\"pair\">\n<div>" + share_chart(steps) + "</div>\n<div>" + loss_chart(steps) +
         "</div>\n<div>" + change_chart(steps) + "</div>\n</div>\n" + table(steps) + "</article>\n";
}

}  // namespace sinkproof::report
