#include "cli/measurement_text.hpp"

#include <vector>

#include "cli/console.hpp"
#include "rounded/decimal.hpp"
#include "rounded/square_root.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

using exact::Enclosure;
using exact::Rational;
using measure::HullDistance;
using measure::Measurement;
using measure::PatternAnswer;
using measure::SmoothingReport;
using measure::SwitchBounds;

constexpr unsigned kShown = 7;

std::string down(const Rational& value) { return rounded::decimal_down(value, kShown); }
std::string up(const Rational& value) { return rounded::decimal_up(value, kShown); }

Enclosure distance_of(const HullDistance& hull) {
  return rounded::square_root(Enclosure{hull.lower, hull.upper});
}

void print_hull(const measure::NamedHull& named) {
  const HullDistance& hull = named.hull;
  const std::string state = hull.upper == 0  ? "exactly 0: no direction separates them from 0"
                            : hull.lower > 0 ? (hull.exact() ? "the square is known exactly" : "")
                                             : "whether it is 0 is not decided";
  say("  {:<34} {} .. {}  {}, {} in the nearest point{}{}\n", named.name,
      down(distance_of(hull).lower), up(distance_of(hull).upper),
      text::counted(hull.vectors.size(), "vector"), hull.nearest.support.size(),
      state.empty() ? "" : "; ", state);
}

const HullDistance* without_anchor(const Measurement& measurement) {
  for (const auto& named : measurement.hulls) {
    if (named.name == "hull-distance without the anchor") return &named.hull;
  }
  return nullptr;
}

void print_switch(const measure::Place& place, const Measurement& measurement) {
  const HullDistance* hull = without_anchor(measurement);
  if (hull == nullptr) return;
  const std::string who = place.head ? "this head" : "attention over these rows";
  if (measurement.switches.empty()) {
    say("  switch: none. {}\n",
        hull->upper == 0
            ? "Without its anchor the head can put out exactly 0 (softmax, whose weights are "
              "above 0: as little as wanted)"
            : "0 may lie in the hull of the others");
    return;
  }
  say("  switch: without its anchor {} {} cannot put out less than {}\n", *measurement.anchor, who,
      down(distance_of(*hull).lower));
  const auto& all = measurement.hulls.front();
  if (all.name == "hull-distance" && all.hull.lower > 0) {
    say("    with it no less than {}\n", down(distance_of(all.hull).lower));
  }
  for (const SwitchBounds& bounds : measurement.switches) {
    say("    {}:\n", bounds.direction);
    say("      |output| <= eta < {0} forces attention >= ({0} - eta)/({0} + {1}) on it\n",
        down(bounds.gap), up(bounds.anchor_loss));
  }
  const SwitchBounds& bounds = measurement.switches.front();
  say("    attention >= 1 - eps on it gives |output| <= {} + {} eps\n", up(bounds.anchor_norm),
      up(bounds.spread));
}

std::string between(const Rational& value) { return down(value) + " .. " + up(value); }

void print_smoothing(const SmoothingReport& report) {
  const auto& figures = report.figures;
  say("  smoothing, beta {}: s = {}, t = {}, s + t = {}\n", exact::to_string(figures.beta),
      between(figures.s), between(figures.t), between(figures.s + figures.t));
  say("    {}\n", in_words(figures));
  if (report.norm_turning_point) {
    say("    norms turn at lam = {}\n", between(*report.norm_turning_point));
    for (const Enclosure& root : report.cosine_turning_points) {
      say("    the expected cosine of the last two rows turns at lam = {}\n", enclosure_text(root));
    }
  }
  say("    average cosine: inputs {}\n", enclosure_text(report.inputs.mean));
  say("      attention on itself: predicted {}, measured {}\n",
      enclosure_text(report.predicted_diagonal), enclosure_text(report.diagonal.mean));
  say("      uniform attention:   predicted {}, measured {}\n",
      enclosure_text(report.predicted_uniform), enclosure_text(report.uniform.mean));
}

std::string listed(const std::vector<std::size_t>& tokens) {
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
  say("  representable, {} with margin {}, {}: ", measure::name_of(answer.pattern.kind),
      exact::to_string(answer.pattern.margin), text::counted(answer.constraints, "constraint"));
  if (!answer.found) {
    say("{}, SP1611: too close to call\n", shown_verdict("unknown"));
    return;
  }
  const measure::Representability& found = *answer.found;
  if (!found.representable) {
    say("infeasible, {} by {} over tokens {}\n", shown_verdict("refuted"),
        text::counted(found.multipliers.size(), "multiplier"),
        listed(measure::MarginSystem{{}, found.multipliers}.named()));
    return;
  }
  const std::string square =
      found.lower == found.upper ? "; its square is exactly " + exact::to_string(found.lower) : "";
  say("feasible, {}\n    Frobenius margin {}{}\n", shown_verdict("proved"),
      enclosure_text(rounded::square_root(Enclosure{found.lower, found.upper})), square);
}

}  // namespace

std::string enclosure_text(const std::optional<Enclosure>& enclosure) {
  if (!enclosure) return "none";
  return down(enclosure->lower) + " .. " + up(enclosure->upper);
}

void print_measurement(const measure::Place& place, const Measurement& measurement) {
  say("{}\n", place.text());
  for (const auto& named : measurement.hulls) print_hull(named);
  if (measurement.asked_switch) print_switch(place, measurement);
  if (measurement.smoothing) print_smoothing(*measurement.smoothing);
  for (const PatternAnswer& answer : measurement.patterns) print_pattern_answer(answer);
}

}  // namespace sinkproof::cli
