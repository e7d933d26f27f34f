#include "report/language_heads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "exact/decimal.hpp"
#include "report/bound_text.hpp"
#include "rounded/double.hpp"
#include "text/words.hpp"

namespace sinkproof::report {
namespace {

struct Column {
  LanguageReadout readout;
  const char* heading;
};

constexpr Column kColumns[] = {{LanguageReadout::kAlpha, "Alpha"},
                               {LanguageReadout::kValueAlpha, "Value-weighted"},
                               {LanguageReadout::kValueRatio, "Value ratio"},
                               {LanguageReadout::kBroadcastShare, "Broadcast share"},
                               {LanguageReadout::kNormProduct, "Norm product"},
                               {LanguageReadout::kCosine, "Cosine"}};

struct Figures {
  LanguageReadout readout;
  const char* heading;
  EnclosureField field;
};

std::vector<Figures> figures_of(const LanguageAudit& audit, std::size_t position) {
  std::vector<Figures> all;
  for (const auto& [readout, heading] : kColumns) {
    if (auto field = by_head(audit, readout, position))
      all.push_back({readout, heading, std::move(*field)});
  }
  return all;
}

// Where the sequences' alphas lie, for each epsilon that a share of the position is stated for.
struct Verdicts {
  std::string heading;
  std::vector<Sinking> heads;
};

std::vector<Verdicts> verdicts_of(const LanguageAudit& audit, std::size_t position) {
  std::vector<Verdicts> all;
  for (const SinkShare& share : sink_shares(audit)) {
    if (share.position != position) continue;
    all.push_back({"Alpha &gt; " + exact::to_string(share.epsilon),
                   sinking(audit, LanguageReadout::kAlpha, position, share.epsilon)});
  }
  return all;
}

std::string verdict_words(const Sinking& head) {
  if (head.certain == head.sequences) return "certain";
  if (head.undecided > 0) {
    return fmt::format("{} to {} of {}", head.certain, head.certain + head.undecided,
                       head.sequences);
  }
  return head.certain == 0 ? "no" : fmt::format("{} of {}", head.certain, head.sequences);
}

std::string cell(const std::string& heading, const std::string& sort, const std::string& text) {
  return fmt::format(R"(<td class="num" data-label="{}" data-sort="{}">{}</td>)", heading, sort,
                     text);
}

// " ± 0.004", the standard error of an estimated mean alpha.
std::string error_text(const LanguageAudit& audit, LanguageReadout readout, std::size_t head) {
  if (!audit.estimated || readout != LanguageReadout::kAlpha) return "";
  const auto& error = audit.estimated->errors.at(readout)[head];
  return error ? fmt::format(" ± {:.1g}", rounded::to_double_estimate(*error)) : "";
}

std::string row_text(const LanguageAudit& audit, const std::vector<Figures>& figures,
                     const std::vector<Verdicts>& verdicts, std::size_t head) {
  const std::size_t heads = audit.config.heads;
  std::string row =
      fmt::format(R"(<tr><th scope="row" class="num" data-sort="{0}">layer {1}, head {2}</th>)",
                  head, head / heads, head % heads);
  for (const Verdicts& one : verdicts) {
    row +=
        cell(one.heading, std::to_string(one.heads[head].certain), verdict_words(one.heads[head]));
  }
  for (const Figures& one : figures) {
    const exact::Enclosure& number = one.field.cells[head];
    row += cell(one.heading, down(number.lower),
                number_text(audit, number) + error_text(audit, one.readout, head));
  }
  return row + "</tr>\n";
}

std::vector<std::size_t> by_falling_alpha(const EnclosureField& alpha) {
  std::vector<std::size_t> order(alpha.cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return alpha.cells[a].lower > alpha.cells[b].lower;
  });
  return order;
}

std::string table_head(const std::vector<Figures>& figures, const std::vector<Verdicts>& verdicts) {
  std::string head = "<th scope=\"col\">Head</th>";
  const auto add = [&](const std::string& heading) {
    head += fmt::format("<th scope=\"col\">{}</th>", heading);
  };
  for (const Verdicts& one : verdicts) add(one.heading);
  for (const Figures& one : figures) add(one.heading);
  return head;
}

constexpr std::size_t kNamed = 3;  // heads in the headline

// 3/10 as 0.3.
std::string decimal_or_ratio(const exact::Rational& number) {
  const std::string text = fmt::format("{:.4g}", rounded::to_double_estimate(number));
  const auto decimal = exact::parse_decimal(text);
  return decimal && *decimal == number ? text : exact::to_string(number);
}

}  // namespace

std::string head_table(const LanguageAudit& audit) {
  const auto position = sink_position(audit);
  if (!position) return "";
  const auto figures = figures_of(audit, *position);
  const auto verdicts = verdicts_of(audit, *position);
  const auto order = by_falling_alpha(figures.front().field);
  const std::size_t shown = std::min(order.size(), kMostHeads);
  std::string rows;
  for (std::size_t i = 0; i < shown; ++i) rows += row_text(audit, figures, verdicts, order[i]);
  return fmt::format(
      "<h4>No-op or broadcast: heads that attend to position {}{}</h4>\n<p class=\"quiet\">Alpha: "
      "the mean attention of the head on this position. Value ratio near 0: the head writes almost "
      "nothing from this position (a no-op). Broadcast share "
      "near 1: the head writes the value of this position into nearly every row. The numbers are "
      "means over sequences{}.{}</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"Heads\"><table class=\"stack dense "
      "sortable\"><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
      *position, evidence_tag(audit),
      audit.estimated && audit.sequences() > 1 ? ", alpha ± its standard error" : "",
      shown < order.size()
          ? fmt::format(" The table shows the {} of {} heads with the largest alpha.", shown,
                        order.size())
          : "",
      table_head(figures, verdicts), rows);
}

std::string language_headline(const LanguageAudit& audit) {
  const auto position = sink_position(audit);
  const auto alpha = position ? by_head(audit, LanguageReadout::kAlpha, *position) : std::nullopt;
  if (!alpha) return "";
  const auto order = by_falling_alpha(*alpha);
  const auto words = [&](std::size_t head) {
    return fmt::format("layer {}, head {} ({})", head / audit.config.heads,
                       head % audit.config.heads, number_text(audit, alpha->cells[head]));
  };
  const std::string over = fmt::format("position {}, on average over {}", *position,
                                       text::counted(audit.sequences(), "sequence"));
  const auto shares = sink_shares(audit);
  const auto share = std::find_if(shares.begin(), shares.end(),
                                  [&](const SinkShare& one) { return one.position == *position; });
  if (share == shares.end()) return "";
  const exact::Rational& epsilon = share->epsilon;
  const auto sinks = static_cast<std::size_t>(
      std::count_if(alpha->cells.begin(), alpha->cells.end(),
                    [&](const exact::Enclosure& one) { return one.lower > epsilon; }));
  const std::string above = decimal_or_ratio(epsilon);
  if (sinks == 0) {
    return fmt::format(
        "No head puts more than {} of its attention on {}; the largest mean is that of {}", above,
        over, words(order.front()));
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(sinks, kNamed); ++i) {
    list += (list.empty() ? "" : "; ") + words(order[i]);
  }
  return fmt::format("{} of {} heads put{} more than {} of their attention on {}: {}{}", sinks,
                     order.size(), audit.estimated ? "" : ", for certain,", above, over, list,
                     sinks > kNamed ? "; …" : "");
}

}  // namespace sinkproof::report
