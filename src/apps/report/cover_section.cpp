#include "report/cover_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/cover.hpp"
#include "certificate/strict.hpp"
#include "report/bound_text.hpp"
#include "report/card.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/facts.hpp"
#include "report/overview.hpp"
#include "text/html.hpp"
#include "text/words.hpp"

namespace sinkproof::report {
namespace {

using certificate::Cover;
using certificate::CoverFigure;
using certificate::CoverStatement;
using certificate::IdSet;
using certificate::TargetRule;
using exact::Rational;
using exact::Result;
using text::escape;
using text::file_name;

constexpr std::size_t kMostRanges = 48;  // in one picture

Result<Cover> read(const Input& input) {
  auto cover = certificate::result_of([&] { return certificate::read_cover(input.certificate); });
  if (!cover) {
    return exact::fail("SP1202", file_name(input.path),
                       "is not a cover certificate, but its outcome is accepted: " +
                           cover.error().where + ": " + cover.error().what);
  }
  return cover;
}

std::string shown(const exact::Integer& number) { return exact::to_string(Rational(number)); }

std::string enclosure_text(const std::vector<Rational>& ends) {
  return certain_text({ends[0], ends[1]});
}

const CoverStatement* statement_on(const Cover& cover, CoverFigure figure) {
  const auto found = std::find_if(cover.statements.begin(), cover.statements.end(),
                                  [&](const CoverStatement& one) { return one.figure == figure; });
  return found == cover.statements.end() ? nullptr : &*found;
}

std::string headline(const Cover& cover) {
  const CoverStatement* accuracy = statement_on(cover, CoverFigure::kAccuracy);
  if (accuracy == nullptr) return "";
  const std::string all = shown(cover.count()) + (cover.count() == 1 ? " sequence" : " sequences");
  if (accuracy->right != cover.count()) {
    return fmt::format("The model is right on {} of {} and wrong on {}{}", shown(accuracy->right),
                       all, shown(accuracy->wrong),
                       accuracy->undecided == 0
                           ? ""
                           : fmt::format("; {} are undecided", shown(accuracy->undecided)));
  }
  const CoverStatement* margin = statement_on(cover, CoverFigure::kMargin);
  return fmt::format(
      "The model is right on all {}{}", all,
      margin == nullptr ? "" : ", by a margin of at least " + down(margin->least[0]));
}

std::string ids_text(const IdSet& ids) {
  std::string text;
  for (const certificate::IdRange& range : ids) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", range.first,
                        range.first == range.last ? "" : fmt::format("-{}", range.last));
  }
  return text;
}

std::string positions_text(const Cover& cover) {
  std::string text;
  for (const certificate::CoverPosition& position : cover.positions) {
    text += text.empty() ? "" : "; ";
    text += position.repeats ? fmt::format("={}", *position.repeats) : ids_text(position.ids);
  }
  return text;
}

std::string target_text(const certificate::CoverTarget& target) {
  const std::string of = fmt::format("{}", fmt::join(target.of, ","));
  switch (target.rule) {
    case TargetRule::kSum:
      return fmt::format("sum {} mod {}", of, target.modulo);
    case TargetRule::kMaximum:
      return "maximum " + of;
    case TargetRule::kCopy:
      return "copy " + of;
    case TargetRule::kTable:
      break;
  }
  return "a table of " + text::counted(target.table.size(), "id");
}

std::string facts(const Cover& cover, const Input& input) {
  const auto code = [](const std::string& words) { return "<code>" + escape(words) + "</code>"; };
  std::string list = "<dl class=\"facts\">";
  list += fact("architecture", escape(cover.model.architecture));
  if (!input.outcome.remarks.empty()) list += fact("note", escape(input.outcome.remarks));
  list += fact("sequences", fmt::format("{} of {}", shown(cover.count()),
                                        text::counted(cover.positions.size(), "token")));
  list += fact("ids by position", code(positions_text(cover)));
  list += fact("target", code(target_text(cover.target)));
  list += fact("answers", code(ids_text(cover.answers)));
  list += fact("semantics", "real");
  list += fact("certificate", code(file_name(input.path)));
  list += fact("evidence", escape(input.outcome.evidence));
  for (const auto& [name, sha256] : cover.model.files) {
    if (name.ends_with(".json") || cover.model.files.size() <= 3) {
      list += fact(escape(name), hash_text(sha256));
    }
  }
  return list + "</dl>\n";
}

std::string name_of(const CoverStatement& one) {
  if (one.figure == CoverFigure::kMargin) return "margin";
  if (one.figure == CoverFigure::kLogit) return fmt::format("logit of id {}", one.id);
  return fmt::format("layer {}, head {} on {}", one.layer, one.head, one.key);
}

std::string counts_table(const CoverStatement& accuracy, const exact::Integer& all) {
  std::string cells;
  for (const exact::Integer* count : {&accuracy.right, &accuracy.wrong, &accuracy.undecided}) {
    cells += fmt::format("<td class=\"num\">{}</td>", shown(*count));
  }
  return fmt::format(
      "<table class=\"dense\">\n<thead><tr><th scope=\"col\">Right</th><th scope=\"col\">Wrong</th>"
      "<th scope=\"col\">Undecided</th><th scope=\"col\">Sequences</th></tr></thead>\n"
      "<tbody><tr>{}<td class=\"num\">{}</td></tr></tbody>\n</table>\n",
      cells, shown(all));
}

std::string figure_table(const Cover& cover) {
  std::string rows;
  for (const CoverStatement* one : cover.figures()) {
    const bool attention = one->figure == CoverFigure::kAttention;
    rows += fmt::format(
        "<tr><th scope=\"row\">{}{}</th><td class=\"num\" data-label=\"Least\">{}</td>"
        "<td class=\"num\" data-label=\"Greatest\">{}</td></tr>\n",
        attention ? "attention, " : "", name_of(*one), enclosure_text(one->least),
        enclosure_text(one->greatest));
  }
  if (rows.empty()) return "";
  return "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Figures\">"
         "<table class=\"stack dense\">\n<thead><tr><th scope=\"col\">Figure</th>"
         "<th scope=\"col\">Least</th><th scope=\"col\">Greatest</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody>\n</table></div>\n";
}

std::string statements(const Cover& cover) {
  const CoverStatement* accuracy = statement_on(cover, CoverFigure::kAccuracy);
  return std::string("<h4>On all sequences of the set ") + kProvedTag + "</h4>\n" +
         (accuracy == nullptr ? "" : counts_table(*accuracy, cover.count())) + figure_table(cover);
}

Rational width(const NamedInterval& range) { return range.upper - range.lower; }

std::string attention_ranges(const Cover& cover) {
  std::vector<NamedInterval> ranges;
  for (const CoverStatement* one : cover.figures()) {
    if (one->figure != CoverFigure::kAttention) continue;
    ranges.push_back({name_of(*one), one->least[0], one->greatest[1]});
  }
  if (ranges.empty()) return "";
  const std::size_t all = ranges.size();
  if (all > kMostRanges) {
    std::stable_sort(ranges.begin(), ranges.end(),
                     [](const auto& a, const auto& b) { return width(a) > width(b); });
    ranges.resize(kMostRanges);
  }
  return fmt::format(
      "<h4>Attention of the last position {}</h4>\n<p class=\"quiet\">Over all sequences of the "
      "set, from the least to the greatest weight on each position. Layers and heads are counted "
      "from 0, positions from 1.{}</p>\n"
      "{}{}",
      kProvedTag,
      all > kMostRanges
          ? fmt::format(" The picture shows the {} widest of {} ranges.", kMostRanges, all)
          : "",
      range_plot("Ranges of attention", "attention of the last position", ranges), range_key());
}

std::string card(const Cover& cover, const Input& input, const std::string& name,
                 const std::string& anchor) {
  const std::string first = headline(cover);
  return card_head(input, name, anchor) +
         (first.empty() ? ""
                        : "<p class=\"lead\">" + escape(first) + ". " + kProvedTag + "</p>\n") +
         facts(cover, input) + checker_words(input) + required(input) + statements(cover) +
         attention_ranges(cover) + "</article>\n";
}

}  // namespace

std::string cover_anchor(std::size_t number) { return fmt::format("cover-{}", number); }

std::string cover_headline(const Input& input) {
  const auto cover = read(input);
  return cover ? headline(*cover) : "";
}

Result<std::string> cover_section(const std::vector<const Input*>& inputs, const Names& names) {
  if (inputs.empty()) return "";
  std::string cards;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = *inputs[i];
    const std::string anchor = cover_anchor(i + 1);
    if (!accept::shows_bounds(input.outcome)) {
      cards += unaccepted_card(input, names.at(&input), anchor);
      continue;
    }
    const auto cover = read(input);
    if (!cover) return tl::unexpected(cover.error());
    cards += card(*cover, input, names.at(&input), anchor);
  }
  return "<section id=\"covers\">" + section_heading("Every sequence of a set") +
         "<p>What a language model does on every token sequence of a finite set, in real "
         "arithmetic on its stored weights. Other sequences are not covered. All digits of a "
         "number followed by … are certain; a number in brackets lies between the two "
         "bounds.</p>\n" +
         cards + "</section>\n";
}

}  // namespace sinkproof::report
