#include "report/margin_block.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/sink_and_diagonal.hpp"
#include "report/bound_text.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/status.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;
using exact::Rational;

constexpr std::size_t kShownMultipliers = 12;

std::string multiplier_row(const certificate::WeightedTriple& entry) {
  const std::string weight = entry.weight.str();
  constexpr std::size_t kShown = 30;
  const std::string shown =
      weight.size() <= kShown
          ? weight
          : weight.substr(0, kShown) + fmt::format("… ({} digits)", weight.size());
  return fmt::format(R"(<tr><td class="num">{}</td><td class="num">{}</td><td class="num">{}</td>)"
                     R"(<td class="num">{}</td></tr>)"
                     "\n",
                     entry.triple.query, entry.triple.above, entry.triple.below, shown);
}

std::string infeasible_text(const Infeasible& infeasible, const Outcome& outcome) {
  const std::size_t all = infeasible.multipliers.size();
  const std::size_t shown = std::min(all, kShownMultipliers);
  std::string text = fmt::format(
      "<h4>Infeasible: {}</h4>\n<p>{} No matrix W satisfies this system ({}), whatever its "
      "positive "
      "margins: with these whole multipliers its constraints add up to 0 ≥ a positive number "
      "(ge-1). {} of the constraints have one{}.</p>\n",
      pattern_name(infeasible.pattern.kind), property_badge(outcome, "proved"),
      roles_in_words(infeasible.pattern), all,
      shown < all ? fmt::format("; the first {} are shown", shown) : "");
  text +=
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Multipliers\"><table "
      "class=\"dense\"><thead><tr><th scope=\"col\">Query</th><th scope=\"col\">must score</th><th "
      "scope=\"col\">above</th><th scope=\"col\">Multiplier</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < shown; ++i) text += multiplier_row(infeasible.multipliers[i]);
  return text + "</tbody></table></div>\n";
}

// The cost of the same system, if the certificate has one.
const Cost* cost_beside(const Vectors& vectors, const certificate::Pattern& pattern) {
  for (const VectorProperty& property : vectors.properties) {
    const Cost* cost = std::get_if<Cost>(&property);
    if (cost != nullptr && cost->pattern.kind == pattern.kind &&
        cost->pattern.margin == pattern.margin && model::same_roles(cost->pattern, pattern)) {
      return cost;
    }
  }
  return nullptr;
}

// The cost is twice the least nuclear norm at margin m, so a W of nuclear norm 1 has margins up to
// 2/cost times those of the system.
std::string nuclear_text(const Cost* cost) {
  if (cost == nullptr) return "— (no certified cost of this system)";
  if (cost->cost.lower == 0) {
    return "≥ " + down(2 / cost->cost.upper);
  }
  return interval_text({2 / cost->cost.upper, 2 / cost->cost.lower});
}

std::string representable_row(const Representable& property, const Vectors& vectors,
                              const Outcome& outcome) {
  return fmt::format(
      R"(<tr><th scope="row">{}<span class="file">{}</span></th><td class="num">{}</td>)"
      R"(<td class="num">{}</td><td>{}</td></tr>)"
      "\n",
      pattern_name(property.pattern.kind), roles_in_words(property.pattern),
      interval_text(rounded::square_root(property.squared_margin)),
      nuclear_text(cost_beside(vectors, property.pattern)), property_badge(outcome, "enclosed"));
}

}  // namespace

std::string margin_block(const Vectors& vectors, const Outcome& outcome) {
  std::string infeasible;
  std::string rows;
  for (const VectorProperty& property : vectors.properties) {
    if (const auto* found = std::get_if<Infeasible>(&property)) {
      infeasible += infeasible_text(*found, outcome);
    } else if (const auto* shown = std::get_if<Representable>(&property)) {
      rows += representable_row(*shown, vectors, outcome);
    }
  }
  if (rows.empty()) return infeasible;
  return infeasible +
         "<h4>Representable</h4>\n<p>Some matrix W satisfies these systems (ge-1). The margin is "
         "the largest that a W of norm 1 can have, as a multiple of the system’s margin.</p>\n<div "
         "class=\"scroll\" tabindex=\"0\" role=\"group\" "
         "aria-label=\"Margins\"><table><thead><tr><th scope=\"col\">Pattern</th><th "
         "scope=\"col\">Margin, Frobenius norm</th><th scope=\"col\">Margin, nuclear norm</th><th "
         "scope=\"col\">Verdict</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

}  // namespace sinkproof::report
