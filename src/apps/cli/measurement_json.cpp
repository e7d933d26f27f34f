#include "cli/digits.hpp"
#include "cli/measurement_text.hpp"
#include "rounded/decimal.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::cli {
namespace {

using exact::Enclosure;
using measure::HullDistance;
using measure::Measurement;
using measure::PatternAnswer;
using measure::SmoothingReport;
using measure::SwitchBounds;

json::Value enclosure_json(const std::optional<Enclosure>& enclosure) {
  if (!enclosure) return nullptr;
  return {{"lower", rounded::decimal_down(enclosure->lower, kDigits)},
          {"upper", rounded::decimal_up(enclosure->upper, kDigits)}};
}

// Whether the vectors lie in an open half-space: known unless only the upper bound is above 0.
json::Value separated(const HullDistance& hull) {
  if (hull.lower > 0) return true;
  if (hull.upper == 0) return false;
  return nullptr;
}

json::Value hull_json(const measure::NamedHull& named) {
  json::Value entry = {
      {"name", named.name},
      {"vectors", named.hull.vectors.size()},
      {"squared_lower", exact::to_string(named.hull.lower)},
      {"squared_upper", exact::to_string(named.hull.upper)},
      {"distance",
       enclosure_json(rounded::square_root(Enclosure{named.hull.lower, named.hull.upper}))},
      {"exact", named.hull.exact()},
      {"separated", separated(named.hull)},
      {"support", named.hull.nearest.support}};
  return entry;
}

json::Value switch_json(const SwitchBounds& bounds) {
  return {{"direction", bounds.direction},
          {"anchor", bounds.anchor},
          {"others", bounds.others.size()},
          {"gap", exact::to_string(bounds.gap)},
          {"anchor_loss", exact::to_string(bounds.anchor_loss)},
          {"anchor_norm", exact::to_string(bounds.anchor_norm)},
          {"spread", exact::to_string(bounds.spread)},
          {"floor_at_a_tenth_of_the_gap",
           rounded::decimal_down(bounds.floor(bounds.gap / 10), kDigits)}};
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

std::string verdict_of(const PatternAnswer& answer) {
  if (!answer.found) return "unknown";
  return answer.found->representable ? "proved" : "refuted";
}

json::Value pattern_answer_json(const PatternAnswer& answer) {
  json::Value entry = {{"pattern", measure::name_of(answer.pattern.kind)},
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
    entry["frobenius_margin"] =
        enclosure_json(rounded::square_root(Enclosure{found.lower, found.upper}));
    return entry;
  }
  entry["multipliers"] = {{"count", found.multipliers.size()},
                          {"tokens", measure::MarginSystem{{}, found.multipliers}.named()}};
  return entry;
}

}  // namespace

json::Value cosine_json(const measure::CosineSimilarity& similarity) {
  return {{"mean", enclosure_json(similarity.mean)},
          {"pairs", similarity.pairs},
          {"pairs_with_a_zero_row", similarity.skipped}};
}

json::Value measurement_json(const measure::Place& place, const Measurement& measurement) {
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

}  // namespace sinkproof::cli
