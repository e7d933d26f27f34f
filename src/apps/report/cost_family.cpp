#include "report/cost_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "report/bound_text.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/chart/xy_chart.hpp"
#include "rounded/decimal.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using certificate::PatternKind;
using exact::Enclosure;
using exact::Rational;
using text::escape;

constexpr std::size_t kLeastValues = 3;
constexpr unsigned kShownDigits = 12;

enum class Sweep { kRank, kMargin };

// What all points of a family have in common.
struct Key {
  std::size_t dimension;
  std::vector<std::size_t> sizes;
  Rational lam_squared;
  Rational noise_squared;
  std::vector<Rational> fixed;  // the margin; or the rank and what else the instance has
  auto tied() const { return std::tie(dimension, sizes, lam_squared, noise_squared, fixed); }
  bool operator<(const Key& other) const { return tied() < other.tied(); }
};

struct Point {
  Rational x;
  const CostPoint* of;
  [[nodiscard]] const CostFinding& finding() const { return *of->finding; }
  [[nodiscard]] PatternKind kind() const { return finding().cost.pattern.kind; }
};

using Families = std::map<Key, std::vector<Point>>;

Families families_of(const std::vector<CostPoint>& points, Sweep sweep) {
  Families families;
  for (const CostPoint& point : points) {
    if (!point.finding->structure) continue;
    const model::SinkAndDiagonal& structure = *point.finding->structure;
    const Rational margin = point.finding->cost.pattern.margin;
    const Rational rank(structure.noise_rank);
    const bool by_rank = sweep == Sweep::kRank;
    const std::vector<Rational> instance = {rank, structure.separation,
                                            structure.covariance_norm.upper};
    const Key key{structure.dimension, structure.sizes, structure.lam_squared,
                  structure.noise_squared, by_rank ? std::vector<Rational>{margin} : instance};
    families[key].push_back({by_rank ? rank : margin, &point});
  }
  for (auto& [key, family] : families) {
    std::stable_sort(family.begin(), family.end(), [](const Point& a, const Point& b) {
      return std::pair(a.x, a.kind()) < std::pair(b.x, b.kind());
    });
  }
  return families;
}

bool varies(const std::vector<Point>& family) {
  std::set<Rational> values;
  for (const Point& point : family) values.insert(point.x);
  return values.size() >= kLeastValues;
}

Look look_of(PatternKind kind) {
  return kind == PatternKind::kDiagonal ? Look::kDiagonal
         : kind == PatternKind::kSinkB  ? Look::kSinkB
                                        : Look::kSink;
}

void add_pattern(Chart& chart, const std::vector<Point>& family, PatternKind kind) {
  Bars bars{pattern_name(kind) + ", certified", look_of(kind), {}};
  Curve above{pattern_name(kind) + ", closed form from above", look_of(kind), Stroke::kDashed, {}};
  Curve below{pattern_name(kind) + ", closed form from below", look_of(kind), Stroke::kDotted, {}};
  bool exact = true;
  for (const Point& point : family) {
    if (point.kind() != kind) continue;
    const CostFinding& finding = point.finding();
    bars.intervals.push_back({point.x, finding.cost.cost.lower, finding.cost.cost.upper});
    const model::ClosedForm& closed = *finding.closed;
    above.points.push_back({point.x, closed.upper.upper, closed.upper.upper});
    below.points.push_back({point.x, closed.lower.lower, closed.lower.lower});
    if (closed.lower.upper < closed.upper.lower) exact = false;
  }
  if (bars.intervals.empty()) return;
  chart.bars.push_back(std::move(bars));
  if (exact) {  // one curve, not two on top of each other
    above.name = pattern_name(kind) + ", closed form from both sides";
    above.stroke = Stroke::kSolid;
    chart.curves.push_back(std::move(above));
    return;
  }
  chart.curves.push_back(std::move(above));
  chart.curves.push_back(std::move(below));
}

std::string shown(const Rational& value) { return rounded::decimal_down(value, kShownDigits); }

std::string common_words(const Key& key, Sweep sweep) {
  return fmt::format("d = {}, {}, λ² = {}, δ² = {}, {} = {}", key.dimension,
                     sizes_in_words(key.sizes), shown(key.lam_squared), shown(key.noise_squared),
                     sweep == Sweep::kRank ? "margin m" : "nuisance rank", shown(key.fixed[0]));
}

// How often each answer comes out, over all x at which both patterns are there.
std::string verdict_words(const std::vector<Point>& family) {
  std::size_t sink_cheaper = 0;
  std::size_t diagonal_cheaper = 0;
  std::size_t open = 0;
  for (const Point& a : family) {
    for (const Point& b : family) {
      if (!is_sink(a.kind()) || b.kind() != PatternKind::kDiagonal || a.x != b.x) continue;
      const bool same = a.of->card == b.of->card &&
                        a.finding().cost.pattern.margin == b.finding().cost.pattern.margin;
      if (!same) continue;
      const Cheaper cheaper = compare_costs(a.finding().cost.cost, b.finding().cost.cost).cheaper;
      (cheaper == Cheaper::kSink       ? sink_cheaper
       : cheaper == Cheaper::kDiagonal ? diagonal_cheaper
                                       : open) += 1;
    }
  }
  return fmt::format(
      "Among {} pairs at the same place, the sink is provably cheaper in {}, the diagonal in {}, "
      "and {} are undecided.",
      sink_cheaper + diagonal_cheaper + open, sink_cheaper, diagonal_cheaper, open);
}

std::string row(const Point& point) {
  const CostFinding& finding = point.finding();
  return fmt::format(R"(<tr><th scope="row" class="num">{}</th><td>{}</td><td class="num">{}</td>)"
                     R"(<td class="num">{}</td><td class="num">{}</td><td class="num">{}</td>)"
                     R"(<td><a href="#{}">{}</a></td></tr>)"
                     "\n",
                     shown(point.x), pattern_name(point.kind()), down(finding.closed->lower.lower),
                     down(finding.cost.cost.lower), up(finding.cost.cost.upper),
                     up(finding.closed->upper.upper), point.of->card, escape(point.of->file));
}

std::string table(const std::vector<Point>& family, Sweep sweep) {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Numbers of the "
      "chart\"><table class=\"dense\"><thead><tr><th "
      "scope=\"col\">{}</th>"
      "<th scope=\"col\">Pattern</th><th scope=\"col\">Closed form, below</th>"
      "<th scope=\"col\">Certified, at least</th><th scope=\"col\">Certified, at most</th>"
      "<th scope=\"col\">Closed form, above</th><th scope=\"col\">Certificate</th></tr></thead>"
      "<tbody>\n",
      sweep == Sweep::kRank ? "Nuisance rank" : "Margin m");
  for (const Point& point : family) text += row(point);
  return text + "</tbody></table></div>\n";
}

std::string drawn(const Key& key, const std::vector<Point>& family, Sweep sweep,
                  std::size_t number) {
  const bool by_rank = sweep == Sweep::kRank;
  const char* against = by_rank ? "nuisance rank" : "margin";
  Chart chart;
  chart.id = fmt::format("costs-by-{}-{}", by_rank ? "rank" : "margin", number);
  chart.title = fmt::format("Certified cost against {}", against);
  chart.description = fmt::format("{}. {} The table below has the numbers.",
                                  common_words(key, sweep), verdict_words(family));
  chart.x_label = by_rank ? "nuisance rank" : "margin m of xᵀWy";
  chart.y_label = "cost: least ||W_Q||² + ||W_K||²";
  for (const PatternKind kind :
       {PatternKind::kSinkA, PatternKind::kSinkB, PatternKind::kDiagonal}) {
    add_pattern(chart, family, kind);
  }
  return fmt::format(
      "<article class=\"card\">\n<h3>Cost against {}</h3>\n<p>{}. {}</p>\n{}<p class=\"quiet\">A "
      "bar is the certified interval, and its marker is the midpoint. Lines join closed forms "
      "(co-1 to co-4) at the certificates’ instances.</p>\n{}</article>\n",
      against, common_words(key, sweep), verdict_words(family), xy_chart(chart),
      table(family, sweep));
}

}  // namespace

std::string cost_families(const std::vector<CostPoint>& points) {
  std::string text;
  for (const Sweep sweep : {Sweep::kRank, Sweep::kMargin}) {
    std::size_t number = 0;
    for (const auto& [key, family] : families_of(points, sweep)) {
      if (varies(family)) text += drawn(key, family, sweep, ++number);
    }
  }
  return text;
}

}  // namespace sinkproof::report
