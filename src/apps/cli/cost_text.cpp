#include "cli/cost_text.hpp"

#include <utility>

#include "cli/console.hpp"
#include "json/strict.hpp"
#include "rounded/decimal.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

using certificate::PatternKind;

constexpr unsigned kShown = 10;

// The claims that bound the least cost of a pattern from below and from above.
std::pair<const char*, const char*> claims_of(PatternKind kind) {
  if (kind == PatternKind::kDiagonal) return {"co-2", "co-3"};
  return {"co-4", "co-1"};
}

json::Value closed_form_json(const measure::Answer& answer) {
  if (!answer.closed) {
    return {{"verdict", "not-applicable"},
            {"code", answer.closed.error().code},
            {"reason", answer.closed.error().what}};
  }
  const auto [below, above] = claims_of(answer.kind);
  return {{"verdict", "enclosed"},
          {"lower", rounded::decimal_down(answer.closed->lower.lower, kShown)},
          {"lower_claim", below},
          {"upper", rounded::decimal_up(answer.closed->upper.upper, kShown)},
          {"upper_claim", above}};
}

json::Value answer_json(const measure::Answer& answer) {
  json::Value entry = {
      {"pattern", answer.name}, {"verdict", answer.verdict}, {"constraints", answer.constraints},
      {"lower", nullptr},       {"upper", nullptr},          {"gap", nullptr}};
  if (answer.cost) {
    entry["lower"] = rounded::decimal_down(answer.cost->lower, kShown);
    entry["upper"] = rounded::decimal_up(answer.cost->upper, kShown);
    entry["gap"] = rounded::decimal_up(1 - answer.cost->lower / answer.cost->upper, 3);
  }
  if (answer.representable && answer.representable->representable) {
    entry["squared_margin"] = {rounded::decimal_down(answer.representable->lower, kShown),
                               rounded::decimal_up(answer.representable->upper, kShown)};
  }
  if (answer.verdict == "refuted") entry["reason"] = "infeasible: no matrix has these margins";
  if (!answer.reason.empty()) entry["reason"] = answer.reason;
  entry["closed_form"] = closed_form_json(answer);
  return entry;
}

void print_closed_form(const measure::Answer& answer) {
  if (!answer.closed) {
    say("  closed forms: not-applicable, {}: {}\n", answer.closed.error().code,
        answer.closed.error().what);
    return;
  }
  const auto [below, above] = claims_of(answer.kind);
  say("  closed forms: at least {} ({}), at most {} ({})\n",
      rounded::decimal_down(answer.closed->lower.lower, kShown), below,
      rounded::decimal_up(answer.closed->upper.upper, kShown), above);
}

}  // namespace

void print_cost_json(const measure::Weighing& weighing) {
  json::Value patterns = json::Value::array();
  for (const measure::Answer& answer : weighing.answers) patterns.push_back(answer_json(answer));
  json::Value compared = json::Value::array();
  for (const measure::Comparison& c : measure::comparisons(weighing.answers)) {
    json::Value entry = {
        {"patterns", {c.first, c.second}},
        {"cheaper", c.cheaper.empty() ? json::Value(nullptr) : json::Value(c.cheaper)},
        {"difference",
         {rounded::decimal_down(c.difference_lower, 6),
          rounded::decimal_up(c.difference_upper, 6)}},
        {"ratio", nullptr}};
    if (c.ratio_upper) {
      entry["ratio"] = {rounded::decimal_down(*c.ratio_lower, 6),
                        rounded::decimal_up(*c.ratio_upper, 6)};
    }
    compared.push_back(std::move(entry));
  }
  json::Value maps = json::Value::array();
  for (const auto& map : weighing.saved) {
    maps.push_back({{"path", map.path}, {"cost", rounded::decimal_up(map.cost, kShown)}});
  }
  say_json(json::Value({{"schema", 1},
                        {"input",
                         {{"sha256", weighing.file.sha256},
                          {"tensor", weighing.tokens.tensor},
                          {"tokens", weighing.tokens.rows.rows()},
                          {"width", weighing.tokens.rows.columns()}}},
                        {"patterns", patterns},
                        {"comparisons", compared},
                        {"maps", maps}}));
}

void print_cost_text(const measure::Weighing& weighing) {
  say("{}: {} of width {}; the least ||W_Q||_F^2 + ||W_K||_F^2 over all W_Q, W_K\n",
      weighing.tokens.tensor, text::counted(weighing.tokens.rows.rows(), "token"),
      weighing.tokens.rows.columns());
  say("{:<10} {:<10} {:>12} {:>16} {:>16} {:>10}\n", "pattern", "verdict", "constraints", "lower",
      "upper", "gap");
  for (const measure::Answer& answer : weighing.answers) {
    const std::string padding(answer.verdict.size() < 10 ? 10 - answer.verdict.size() : 0, ' ');
    say("{:<10} {}{} {:>12}", answer.name, shown_verdict(answer.verdict), padding,
        answer.constraints);
    if (answer.cost) {
      say(" {:>16} {:>16} {:>10}", rounded::decimal_down(answer.cost->lower, kShown),
          rounded::decimal_up(answer.cost->upper, kShown),
          rounded::decimal_up(1 - answer.cost->lower / answer.cost->upper, 3));
    }
    say("\n");
    if (answer.verdict == "refuted") say("  infeasible: no matrix has these margins\n");
    if (!answer.reason.empty()) say("  {}\n", answer.reason);
    print_closed_form(answer);
    if (answer.representable && answer.representable->representable) {
      say("  representable: squared Frobenius margin in [{}, {}]\n",
          rounded::decimal_down(answer.representable->lower, kShown),
          rounded::decimal_up(answer.representable->upper, kShown));
    }
  }
  for (const measure::Comparison& c : measure::comparisons(weighing.answers)) {
    if (c.cheaper.empty()) {
      say("{} and {}: the intervals overlap\n", c.first, c.second);
    } else {
      say("{} is certainly cheaper", c.cheaper);
    }
    if (!c.cheaper.empty() && c.ratio_upper) {
      say(": {} - {} in [{}, {}], {} / {} in [{}, {}]\n", c.second, c.first,
          rounded::decimal_down(c.difference_lower, 6), rounded::decimal_up(c.difference_upper, 6),
          c.second, c.first, rounded::decimal_down(*c.ratio_lower, 6),
          rounded::decimal_up(*c.ratio_upper, 6));
    } else if (!c.cheaper.empty()) {
      say("\n");
    }
  }
  for (const auto& map : weighing.saved) {
    say("{}: the margins hold exactly for the stored numbers; cost at most {}\n", map.path,
        rounded::decimal_up(map.cost, kShown));
  }
}

}  // namespace sinkproof::cli
