#include "report/language_maps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exact/rational.hpp"
#include "text/html.hpp"
#include "text/words.hpp"

namespace sinkproof::report {
namespace {

constexpr std::size_t kMost = 96;  // rows, columns of a picture

// The least epsilon that a share of the position is stated for.
std::optional<exact::Rational> epsilon_at(const LanguageAudit& audit, std::size_t position) {
  for (const SinkShare& share : sink_shares(audit)) {
    if (share.position == position) return share.epsilon;
  }
  return std::nullopt;
}

CellMark mark_of(const Sinking& head) {
  if (head.undecided > 0) return CellMark::kCross;
  if (head.certain == 0) return CellMark::kNone;
  return head.certain == head.sequences ? CellMark::kFull : CellMark::kRing;
}

// Marks are for heads, not for stretches of them.
std::vector<CellMark> marks_of(const LanguageAudit& audit, LanguageReadout readout,
                               std::size_t position, const EnclosureField& shown) {
  const auto epsilon = epsilon_at(audit, position);
  if (!epsilon || shown.cells.size() != audit.config.layers * audit.config.heads) return {};
  std::vector<CellMark> marks;
  for (const Sinking& head : sinking(audit, readout, position, *epsilon)) {
    marks.push_back(mark_of(head));
  }
  return marks;
}

std::string marks_key(const LanguageAudit& audit, std::size_t position) {
  const auto epsilon = epsilon_at(audit, position);
  if (!epsilon) return "";
  const auto item = [&](CellMark mark, const char* words) {
    return fmt::format("<span>{}{}</span>", mark_sign(mark), words);
  };
  return fmt::format("<p class=\"key\"><span>Above {}{}:</span>", exact::to_string(*epsilon),
                     audit.estimated ? "" : " for certain") +
         item(CellMark::kFull, "in every sequence") + item(CellMark::kRing, "in some") +
         (audit.estimated ? "" : item(CellMark::kCross, "undecided in some")) +
         item(CellMark::kNone, "in none") + "</p>\n";
}

// Maps side by side under the colours that hold them all.
std::string side_by_side(const std::vector<EnclosureMap>& maps, const std::string& quantity) {
  std::vector<const EnclosureField*> fields;
  fields.reserve(maps.size());
  for (const EnclosureMap& map : maps) fields.push_back(&map.field);
  const Shades shades = shades_of(fields);
  std::string text = shade_bars(shades, quantity) + "<div class=\"maps\">\n";
  for (const EnclosureMap& map : maps) text += enclosure_map(map, shades);
  return text + "</div>\n";
}

struct HeadFigure {
  LanguageReadout readout;
  const char* title;
};

std::vector<EnclosureMap> head_maps(const LanguageAudit& audit, const std::string& anchor,
                                    std::size_t position, const std::vector<HeadFigure>& figures) {
  std::vector<EnclosureMap> maps;
  for (const auto& [readout, title] : figures) {
    const auto field = by_head(audit, readout, position);
    if (!field) continue;
    const std::string name(certificate::row_of(readout).name);
    std::string id = anchor;
    id += "-" + name;
    maps.push_back(head_map(audit, id, title, name, *field));
    maps.back().words = over_sequences(sequences_with(audit, readout, position), "mean over");
  }
  return maps;
}

// With the token where only one sequence is covered.
Axis position_axis(const LanguageAudit& audit, const std::vector<Stretch>& columns) {
  Axis axis{"position", {}};
  for (const Stretch& one : columns) axis.labels.push_back(stretch_name(one, 1));
  if (audit.sequences() != 1 || audit.stated.sequences.empty()) return axis;
  const auto& tokens = audit.stated.sequences.front();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool single = columns[i].first == columns[i].last;
    const std::size_t at = columns[i].first;
    axis.spoken.push_back(
        single ? fmt::format("{} (token {}{})", axis.labels[i], tokens[at],
                             audit.texts.empty() ? "" : " “" + audit.texts.front()[at] + "”")
               : axis.labels[i]);
  }
  return axis;
}

struct NormFigure {
  LanguageReadout readout;
  Kept kept;
  const char* title;
  const char* words;
};

constexpr NormFigure kNorms[] = {
    {LanguageReadout::kHiddenNorm, Kept::kLargest, "Rows of the residual stream", "largest of"},
    {LanguageReadout::kQueryNorm, Kept::kMean, "Queries", "mean over heads and"},
    {LanguageReadout::kKeyNorm, Kept::kMean, "Keys", "mean over heads and"},
    {LanguageReadout::kValueNorm, Kept::kMean, "Values", "mean over heads and"}};

std::optional<EnclosureMap> norm_map(const LanguageAudit& audit, const std::string& anchor,
                                     const NormFigure& figure) {
  const auto field = by_position(audit, figure.readout, figure.kept);
  if (!field) return std::nullopt;
  const auto rows = stretches(field->rows, kMost);
  const auto columns = stretches(field->columns, kMost);
  const std::string name(certificate::row_of(figure.readout).name);
  const std::size_t stated = sequences_with(audit, figure.readout);
  return EnclosureMap{
      anchor + "-" + name,
      figure.title,
      name,
      stated < audit.sequences()
          ? fmt::format("{} {} of {} sequences", figure.words, stated, audit.sequences())
          : over_sequences(stated, figure.words),
      layer_axis(audit, rows),
      position_axis(audit, columns),
      condensed(*field, rows, columns, figure.kept),
      {},
      audit.estimated.has_value()};
}

}  // namespace

std::string over_sequences(std::size_t count, const char* kept) {
  return fmt::format("{} {}", kept, text::counted(count, "sequence"));
}

Axis layer_axis(const LanguageAudit& audit, const std::vector<Stretch>& rows) {
  Axis axis{"layer", {}};
  for (const Stretch& row : rows) {
    axis.labels.push_back(row.first == audit.config.layers ? "out" : stretch_name(row, 0));
  }
  return axis;
}

EnclosureMap head_map(const LanguageAudit& audit, const std::string& id, const std::string& title,
                      const std::string& quantity, const EnclosureField& field) {
  const auto rows = stretches(field.rows, kMost);
  const auto columns = stretches(field.columns, kMost);
  Axis heads{"head", {}};
  for (const Stretch& one : columns) heads.labels.push_back(stretch_name(one, 0));
  return {id,
          title,
          quantity,
          "",
          layer_axis(audit, rows),
          std::move(heads),
          condensed(field, rows, columns, Kept::kLargest),
          {},
          audit.estimated.has_value()};
}

std::string sink_maps(const LanguageAudit& audit, const std::string& anchor) {
  const auto position = sink_position(audit);
  if (!position) return "";
  const std::vector<HeadFigure> figures = {
      {LanguageReadout::kAlpha, "Attention on the sink position"},
      {LanguageReadout::kValueAlpha,
       "Attention on the sink position, weighted by the norm of values"}};
  auto maps = head_maps(audit, anchor, *position, figures);
  if (maps.empty()) return "";
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i].marks = marks_of(audit, figures[i].readout, *position, maps[i].field);
  }
  return fmt::format(
             "<h4>Attention of each head on position {}{}</h4>\n<p class=\"quiet\">Rows are layers "
             "and columns are heads. {}<span class=\"enlarge\">Point at a cell, or "
             "use the arrow keys on a map, to read it; click, or press Enter, to enlarge the "
             "map.</span></p>\n",
             *position, evidence_tag(audit),
             audit.estimated ? ""
                             : "A cell whose interval is wider than its colour is split: the lower "
                               "end above, the upper end beneath. ") +
         side_by_side(maps, "attention") + marks_key(audit, *position);
}

std::string logit_maps(const LanguageAudit& audit, const std::string& anchor) {
  const auto position = sink_position(audit);
  if (!position) return "";
  const auto sizes = head_maps(audit, anchor, *position,
                               {{LanguageReadout::kNormProduct, "Norms: |q| |k| / √(head width)"}});
  const auto directions =
      head_maps(audit, anchor, *position, {{LanguageReadout::kCosine, "Cosine of q and k"}});
  if (sizes.empty() && directions.empty()) return "";
  std::string text = fmt::format(
      "<h4>Logits on position {}: norm and direction{}</h4>\n<p class=\"quiet\">A logit is the "
      "product of the two: the norms of query and key, and the cosine of the angle between "
      "them.</p>\n<div class=\"pair\">\n",
      *position, evidence_tag(audit));
  if (!sizes.empty()) text += "<div>" + side_by_side(sizes, "norm products") + "</div>\n";
  if (!directions.empty()) text += "<div>" + side_by_side(directions, "cosines") + "</div>\n";
  return text + "</div>\n";
}

std::string norm_maps(const LanguageAudit& audit, const std::string& anchor) {
  std::string text;
  for (const NormFigure& figure : kNorms) {
    const auto map = norm_map(audit, anchor, figure);
    if (map) text += "<div>" + side_by_side({*map}, "norms") + "</div>\n";
  }
  if (text.empty()) return "";
  return "<h4>Norms by layer and position" + evidence_tag(audit) +
         "</h4>\n<p class=\"quiet\">A bright column in the first map is a position with massive "
         "activations. Each map has its own colour scale.</p>\n<div class=\"pair\">\n" +
         text + "</div>\n";
}

}  // namespace sinkproof::report
