#include "cli/measurement_text.hpp"

#include <fmt/core.h>

#include <set>

#include "cli/console.hpp"
#include "exact/decimal.hpp"
#include "exact/square_root.hpp"

namespace sinkproof::cli {
namespace {

using exact::Enclosure;
using exact::Rational;
using measure::HullDistance;
using measure::Measurement;
using measure::PatternAnswer;
using measure::SmoothingReport;
using measure::SwitchBounds;

constexpr unsigned kDigits = 10;
constexpr unsigned kShown = 7;

std::string down(const Rational& value) { return exact::decimal_down(value, kShown); }
std::string up(const Rational& value) { return exact::decimal_up(value, kShown); }

Enclosure root_of(const Rational& lower, const Rational& upper) {
  return {exact::square_root(lower).lower, exact::square_root(upper).upper};
}

Enclosure distance_of(const HullDistance& hull) { return root_of(hull.lower, hull.upper); }

json::Value enclosure_json(const std::optional<Enclosure>& enclosure) {
  if (!enclosure) return nullptr;
  return {{"lower", exact::decimal_down(enclosure->lower, kDigits)},
          {"upper", exact::decimal_up(enclosure->upper, kDigits)}};
}

// Whether the vectors lie in an open half-space: known unless only the upper bound is above 0.
json::Value separated(const HullDistance& hull) {
  if (hull.lower > 0) return true;
  if (hull.upper == 0) return false;
  return nullptr;
}

json::Value hull_json(const measure::NamedHull& named) {
  json::Value entry = {{"name", named.name},
                       {"vectors", named.hull.vectors.size()},
                       {"squared_lower", exact::to_string(named.hull.lower)},
                       {"squared_upper", exact::to_string(named.hull.upper)},
                       {"distance", enclosure_json(distance_of(named.hull))},
                       {"exact", named.hull.exact()},
                       {"separated", separated(named.hull)},
                       {"support", named.hull.nearest.support}};
  return entry;
}

json::Value switch_json(const SwitchBounds& bounds) {
  return {
      {"direction", bounds.direction},
      {"anchor", bounds.anchor},
      {"others", bounds.others.size()},
      {"gap", exact::to_string(bounds.gap)},
      {"anchor_loss", exact::to_string(bounds.anchor_loss)},
      {"anchor_norm", exact::to_string(bounds.anchor_norm)},
      {"spread", exact::to_string(bounds.spread)},
      {"floor_at_a_tenth_of_the_gap", exact::decimal_down(bounds.floor(bounds.gap / 10), kDigits)}};
}

json::Value smoothing_json(const SmoothingReport& report) {
  const auto& figures = report.figures;
  json::Value turning = json::Value::array();
  for (const Enclosure& root : report.cosine_turning_points) {
    turning.push_back(enclosure_json(root));
  }
  return {{"beta", exact::to_string(figures.beta)},
          {"s", exact::to_string(figures.s)},
          {"t", exact::to_string(figures.t)},
          {"s_plus_t", exact::to_string(figures.s + figures.t)},
          {"signs",
           {{"s", exact::sign(figures.s)},
            {"t", exact::sign(figures.t)},
            {"s_plus_t", exact::sign(figures.s + figures.t)}}},
          {"mean_norm", exact::to_string(figures.mean_norm)},
          {"spread", exact::to_string(figures.spread)},
          {"verdict", in_words(figures)},
          {"norm_turning_point", report.norm_turning_point
                                     ? json::Value(exact::to_string(*report.norm_turning_point))
                                     : json::Value(nullptr)},
          {"cosine_turning_points", std::move(turning)},
          {"cosine_inputs", cosine_json(report.inputs)},
          {"diagonal",
           {{"predicted", enclosure_json(report.predicted_diagonal)},
            {"measured", cosine_json(report.diagonal)}}},
          {"uniform",
           {{"predicted", enclosure_json(report.predicted_uniform)},
            {"measured", cosine_json(report.uniform)}}}};
}

void print_hull(const measure::NamedHull& named) {
  const HullDistance& hull = named.hull;
  const std::string state = hull.upper == 0  ? "exactly 0: no direction separates them from 0"
                            : hull.lower > 0 ? (hull.exact() ? "the square is known exactly" : "")
                                             : "whether it is 0 is not decided";
  fmt::print("  {:<34} {} .. {}  {} vectors, {} in the nearest point{}{}\n", named.name,
             down(distance_of(hull).lower), up(distance_of(hull).upper), hull.vectors.size(),
             hull.nearest.support.size(), state.empty() ? "" : "; ", state);
}

const HullDistance* without_anchor(const Measurement& measurement) {
  for (const auto& named : measurement.hulls) {
    if (named.name == "hull-distance without the anchor") return &named.hull;
  }
  return nullptr;
}

void print_switch(const MeasuredPlace& place, const Measurement& measurement) {
  const HullDistance* hull = without_anchor(measurement);
  if (hull == nullptr) return;
  const std::string who = place.head ? "this head" : "attention over these rows";
  if (measurement.switches.empty()) {
    fmt::print(
        "  switch: none. {}\n",
        hull->upper == 0
            ? "Without its anchor the head can put out exactly 0 (softmax, whose weights are "
              "above 0: as little as wanted)"
            : "0 may lie in the hull of the others");
    return;
  }
  fmt::print("  switch: without its anchor {} {} cannot put out less than {}\n",
             *measurement.anchor, who, down(distance_of(*hull).lower));
  const auto& all = measurement.hulls.front();
  if (all.name == "hull-distance" && all.hull.lower > 0) {
    fmt::print("    with it no less than {}\n", down(distance_of(all.hull).lower));
  }
  for (const SwitchBounds& bounds : measurement.switches) {
    fmt::print("    {}:\n", bounds.direction);
    fmt::print("      |output| <= eta < {0} forces attention >= ({0} - eta)/({0} + {1}) on it\n",
               down(bounds.gap), up(bounds.anchor_loss));
  }
  const SwitchBounds& bounds = measurement.switches.front();
  fmt::print("    attention >= 1 - eps on it gives |output| <= {} + {} eps\n",
             up(bounds.anchor_norm), up(bounds.spread));
}

std::string between(const Rational& value) { return down(value) + " .. " + up(value); }

void print_smoothing(const SmoothingReport& report) {
  const auto& figures = report.figures;
  fmt::print("  smoothing, beta {}: s = {}, t = {}, s + t = {}\n", exact::to_string(figures.beta),
             between(figures.s), between(figures.t), between(figures.s + figures.t));
  fmt::print("    {}\n", in_words(figures));
  if (report.norm_turning_point) {
    fmt::print("    norms turn at lam = {}\n", between(*report.norm_turning_point));
    for (const Enclosure& root : report.cosine_turning_points) {
      fmt::print("    the expected cosine of the last two rows turns at lam = {}\n",
                 enclosure_text(root));
    }
  }
  fmt::print("    average cosine: inputs {}\n", enclosure_text(report.inputs.mean));
  fmt::print("      attention on itself: predicted {}, measured {}\n",
             enclosure_text(report.predicted_diagonal), enclosure_text(report.diagonal.mean));
  fmt::print("      uniform attention:   predicted {}, measured {}\n",
             enclosure_text(report.predicted_uniform), enclosure_text(report.uniform.mean));
}

std::string verdict_of(const PatternAnswer& answer) {
  if (!answer.found) return "unknown";
  return answer.found->representable ? "proved" : "refuted";
}

std::set<std::size_t> tokens_of(const std::vector<certificate::WeightedTriple>& multipliers) {
  std::set<std::size_t> tokens;
  for (const auto& [triple, y] : multipliers) {
    tokens.insert({triple.query, triple.above, triple.below});
  }
  return tokens;
}

json::Value pattern_answer_json(const PatternAnswer& answer) {
  json::Value entry = {{"pattern", to_string(answer.pattern.kind)},
                       {"margin", exact::to_string(answer.pattern.margin)},
                       {"constraints", answer.constraints},
                       {"verdict", verdict_of(answer)},
                       {"feasible", nullptr},
                       {"squared_frobenius_margin", nullptr},
                       {"frobenius_margin", nullptr},
                       {"multipliers", nullptr}};
  if (!answer.found) return entry;
  const measure::Representability& found = *answer.found;
  entry["feasible"] = found.representable;
  if (found.representable) {
    entry["squared_frobenius_margin"] = {{"lower", exact::to_string(found.lower)},
                                         {"upper", exact::to_string(found.upper)},
                                         {"exact", found.lower == found.upper}};
    entry["frobenius_margin"] = enclosure_json(root_of(found.lower, found.upper));
    return entry;
  }
  entry["multipliers"] = {{"count", found.multipliers.size()},
                          {"tokens", tokens_of(found.multipliers)}};
  return entry;
}

std::string listed(const std::set<std::size_t>& tokens) {
  constexpr std::size_t kNamed = 12;
  std::string text;
  std::size_t shown = 0;
  for (const std::size_t token : tokens) {
    if (shown++ == kNamed) {
      return text + " and " + std::to_string(tokens.size() - kNamed) + " more";
    }
    text += (text.empty() ? "" : ", ") + std::to_string(token);
  }
  return text;
}

void print_pattern_answer(const PatternAnswer& answer) {
  fmt::print("  representable, {} with margin {}, {} constraints: ", to_string(answer.pattern.kind),
             exact::to_string(answer.pattern.margin), answer.constraints);
  if (!answer.found) {
    fmt::print("{}, SP1611: too close to call\n", shown_verdict("unknown"));
    return;
  }
  const measure::Representability& found = *answer.found;
  if (!found.representable) {
    fmt::print("infeasible, {} by {} multipliers over tokens {}\n", shown_verdict("refuted"),
               found.multipliers.size(), listed(tokens_of(found.multipliers)));
    return;
  }
  const std::string square =
      found.lower == found.upper ? "; its square is exactly " + exact::to_string(found.lower) : "";
  fmt::print("feasible, {}\n    Frobenius margin {}{}\n", shown_verdict("proved"),
             enclosure_text(root_of(found.lower, found.upper)), square);
}

}  // namespace

std::string MeasuredPlace::text() const {
  if (!layer) return "rows";
  std::string result = "layer " + std::to_string(*layer);
  if (head) result += " head " + std::to_string(*head);
  return result;
}

std::string enclosure_text(const std::optional<Enclosure>& enclosure) {
  if (!enclosure) return "none";
  return down(enclosure->lower) + " .. " + up(enclosure->upper);
}

json::Value cosine_json(const measure::CosineSimilarity& similarity) {
  return {{"mean", enclosure_json(similarity.mean)},
          {"pairs", similarity.pairs},
          {"pairs_with_a_zero_row", similarity.skipped}};
}

json::Value measurement_json(const MeasuredPlace& place, const Measurement& measurement) {
  json::Value hulls = json::Value::array();
  for (const auto& named : measurement.hulls) hulls.push_back(hull_json(named));
  json::Value entry = {
      {"layer", place.layer ? json::Value(*place.layer) : json::Value(nullptr)},
      {"head", place.head ? json::Value(*place.head) : json::Value(nullptr)},
      {"anchor", measurement.anchor ? json::Value(*measurement.anchor) : json::Value(nullptr)},
      {"hull_distances", std::move(hulls)},
      {"switch", nullptr},
      {"smoothing", nullptr},
      {"representable", nullptr}};
  if (measurement.asked_switch) {
    entry["switch"] = json::Value::array();
    for (const SwitchBounds& bounds : measurement.switches) {
      entry["switch"].push_back(switch_json(bounds));
    }
  }
  if (measurement.smoothing) entry["smoothing"] = smoothing_json(*measurement.smoothing);
  if (!measurement.patterns.empty()) {
    entry["representable"] = json::Value::array();
    for (const PatternAnswer& answer : measurement.patterns) {
      entry["representable"].push_back(pattern_answer_json(answer));
    }
  }
  return entry;
}

void print_measurement(const MeasuredPlace& place, const Measurement& measurement) {
  fmt::print("{}\n", place.text());
  for (const auto& named : measurement.hulls) print_hull(named);
  if (measurement.asked_switch) print_switch(place, measurement);
  if (measurement.smoothing) print_smoothing(*measurement.smoothing);
  for (const PatternAnswer& answer : measurement.patterns) print_pattern_answer(answer);
}

}  // namespace sinkproof::cli
