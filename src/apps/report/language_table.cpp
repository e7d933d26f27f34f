#include "report/language_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "estimate/summary.hpp"
#include "report/bound_text.hpp"
#include "report/chart/xy_chart.hpp"
#include "report/language_moves.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;
using text::escape;

constexpr std::size_t kFewRows = 4;  // of a table that is not folded

// What a row of the table says; absent where the certificate does not.
struct Row {
  AuditedModel model;
  std::optional<SinkShare> share;  // the largest of the sink position
  std::optional<Enclosure> norm;   // the largest hidden norm there, any layer and sequence
  std::optional<Moved> evicted;    // the eviction that moves the logits most
};

std::optional<SinkShare> share_of(const LanguageAudit& audit) {
  const auto position = sink_position(audit);
  std::optional<SinkShare> best;
  for (const SinkShare& share : sink_shares(audit)) {
    if (position && share.position != *position) continue;
    if (share.share && (!best || share.share->lower > best->share->lower)) best = share;
  }
  return best;
}

std::optional<Enclosure> norm_at(const LanguageAudit& audit, std::size_t position) {
  const auto field = by_position(audit, LanguageReadout::kHiddenNorm, Kept::kLargest);
  if (!field || position > field->columns) return std::nullopt;
  std::vector<const Enclosure*> column;
  for (std::size_t r = 0; r < field->rows; ++r) column.push_back(&field->at(r, position - 1));
  return kept(Kept::kLargest, column);
}

std::optional<Moved> most_moving_eviction(const LanguageAudit& audit) {
  std::optional<Moved> most;
  for (Moved& moved : moves(audit)) {
    if (!moved.intervention.eviction || !moved.logits) continue;
    if (!most || moved.logits->lower > most->logits->lower) most = std::move(moved);
  }
  return most;
}

Row row_of(const AuditedModel& model) {
  const LanguageAudit& audit = *model.audit;
  return {model, share_of(audit), norm_at(audit, sink_position(audit).value_or(1)),
          most_moving_eviction(audit)};
}

std::string number_cell(const LanguageAudit& audit, const char* label,
                        const std::optional<Enclosure>& number, const std::string& side = "") {
  if (!number) return fmt::format("<td class=\"num\" data-label=\"{}\">—</td>", label);
  return fmt::format(R"(<td class="num" data-label="{}" data-sort="{}">{}{}</td>)", label,
                     down(number->lower), number_text(audit, *number),
                     side.empty() ? "" : "<span class=\"side\">" + side + "</span>");
}

std::string count_cell(const char* label, std::size_t count) {
  return fmt::format(R"(<td class="num" data-label="{}">{}</td>)", label, count);
}

std::string share_words(const SinkShare& share) {
  return fmt::format("position {}, ε {}", share.position, exact::to_string(share.epsilon));
}

std::string row_text(const Row& row) {
  const LanguageAudit& audit = *row.model.audit;
  const std::optional<Enclosure> none;
  return fmt::format(R"(<tr><th scope="row"><a href="#{}">{}</a></th>)"
                     R"(<td data-label="Architecture">{}</td>)",
                     row.model.card, escape(row.model.name), escape(audit.stated.architecture)) +
         count_cell("Layers", audit.config.layers) + count_cell("Heads", audit.config.heads) +
         number_cell(audit, "Sink share", row.share ? row.share->share : none,
                     row.share ? share_words(*row.share) : "") +
         number_cell(audit, "Value-weighted", row.share ? row.share->value_weighted : none) +
         number_cell(audit, "Norm at the sink", row.norm) +
         number_cell(audit, "Logits moved", row.evicted ? row.evicted->logits : none,
                     row.evicted ? intervention_name(row.evicted->intervention) : "") +
         "</tr>\n";
}

std::string share_rows(const LanguageAudit& audit, const std::vector<SinkShare>& shares) {
  std::string rows;
  for (const SinkShare& share : shares) {
    rows += fmt::format(R"(<tr><th scope="row" class="num" data-sort="{0}">position {0}</th>)"
                        R"(<td class="num" data-label="Epsilon">{1}</td>)",
                        share.position, exact::to_string(share.epsilon)) +
            number_cell(audit, "Share of heads", share.share) +
            number_cell(audit, "Value-weighted", share.value_weighted) + "</tr>\n";
  }
  return rows;
}

IntervalAt at_position(const SinkShare& share, const Enclosure& number) {
  return {exact::Rational(share.position), number.lower, number.upper};
}

// Of the least epsilon, where that is stated for several positions.
std::string share_chart(const LanguageAudit& audit, const std::vector<SinkShare>& shares,
                        const std::string& anchor) {
  std::set<exact::Rational> epsilons;
  for (const SinkShare& share : shares) epsilons.insert(share.epsilon);
  Bars plain{"sink share", Look::kSink, {}};
  Bars weighted{"value-weighted", Look::kDiagonal, {}};
  for (const SinkShare& share : shares) {
    if (share.epsilon != *epsilons.begin()) continue;
    if (queries_at(audit, share.position) < estimate::kFewestQueries) continue;
    if (share.share) plain.intervals.push_back(at_position(share, *share.share));
    if (share.value_weighted) {
      weighted.intervals.push_back(at_position(share, *share.value_weighted));
    }
  }
  if (std::max(plain.intervals.size(), weighted.intervals.size()) < 2) return "";
  Chart chart;
  chart.evidence = evidence_tag(audit);
  chart.id = anchor + "-shares";
  chart.title = "Share of heads that sink, by position";
  chart.description = fmt::format(
      "Bounds, for each stated position, on the share of (sequence, layer, head) with mean "
      "attention above {}.",
      exact::to_string(*epsilons.begin()));
  chart.x_label = "position";
  chart.y_label = "share above " + exact::to_string(*epsilons.begin());
  for (Bars* bars : {&plain, &weighted}) {
    if (!bars->intervals.empty()) chart.bars.push_back(std::move(*bars));
  }
  return xy_chart(chart);
}

}  // namespace

std::string language_table(const std::vector<AuditedModel>& models) {
  if (models.size() < 2) return "";
  std::vector<Row> rows;
  rows.reserve(models.size());
  for (const AuditedModel& model : models) rows.push_back(row_of(model));
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (!a.share || !b.share) return a.share && !b.share;
    return a.share->share->lower > b.share->share->lower;
  });
  std::string text =
      "<article class=\"card\">\n<h3>Side by side" + evidence_tag(*models.front().audit) +
      "</h3>\n<div class=\"scroll\" tabindex=\"0\" "
      "role=\"group\" aria-label=\"Language models side by side\"><table class=\"stack sortable "
      "audits\">"
      "<thead><tr>";
  for (const char* heading : {"Model", "Architecture", "Layers", "Heads", "Sink share",
                              "Value-weighted", "Norm at the sink", "Logits moved"}) {
    text += fmt::format("<th scope=\"col\">{}</th>", heading);
  }
  text += "</tr></thead><tbody>\n";
  for (const Row& row : rows) text += row_text(row);
  return text +
         "</tbody></table></div>\n<p class=\"quiet\">Sink share: the share of (sequence, layer, "
         "head) whose mean attention on the position is above ε. Norm at the sink: the largest "
         "norm of a residual-stream row there. Logits moved: the largest change of a logit over "
         "the listed evictions. Each figure is for the sequences of that "
         "model’s card.</p>\n</article>\n";
}

std::string share_block(const LanguageAudit& audit, const std::string& anchor) {
  const auto shares = sink_shares(audit);
  if (shares.empty()) return "";
  const std::string table =
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Sink shares\"><table "
      "class=\"stack dense sortable\"><thead><tr><th scope=\"col\">Position</th>"
      "<th scope=\"col\">Epsilon</th><th scope=\"col\">Share of heads</th>"
      "<th scope=\"col\">Value-weighted</th></tr></thead><tbody>\n" +
      share_rows(audit, shares) + "</tbody></table></div>\n";
  return "<h4>Heads that sink" + evidence_tag(audit) + "</h4>\n" +
         fmt::format(
             "<p class=\"quiet\">Positions that fewer than {} queries see are left out, "
             "because a head's mean attention on them is large without any sink.</p>\n",
             estimate::kFewestQueries) +
         share_chart(audit, shares, anchor) +
         (shares.size() > kFewRows
              ? "<details><summary>The share of each position</summary>\n" + table + "</details>\n"
              : table);
}

}  // namespace sinkproof::report
