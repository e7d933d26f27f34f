#include "certify/theorem.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "certify/digits.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::certify {

using exact::Rational;

namespace {

// What theorems divide the loss by, where that is not 1.
std::string over_unit(const Rational& unit) {
  return unit == 1 ? "" : ", the certified loss over " + exact::to_string(unit);
}

// A theorem in words, and the family of floors it is about.
struct Theorem {
  std::string claim;
  std::string letter;  // of its parameter
  std::string condition;
  std::string rows;
  std::string family;
  bool after_trigger;  // is about rows after the trigger, too
  std::optional<check::Implied> (*implied)(const Rational& eta, std::size_t length);
};

const Theorem& theorem_of(const std::string& name) {
  static const std::string gap = "4 eta < D_J = (J - 3)/(2(J - 1)), 4 <= J <= L";
  static const std::vector<Theorem> theorems = {
      {"tc-1", "m",
       "2 m (m + 1) eta <= 1 or 4 (m + 1) eta <= m - 1 with C eta < 1 (THEORY.md has C), 2 <= m <= "
       "L - 2",
       rows_text(RowClass::kPre, false), "bos-floor", false, check::implied_by_tc1},
      {"tc-3", "J", gap, "1 <= i <= L, i != j", "bos-floor", true, check::implied_by_tc3},
      {"tc-4", "J", gap, "1 <= i <= L, i != j", "rollout-floor", true, check::implied_by_tc4}};
  return *std::find_if(theorems.begin(), theorems.end(),
                       [&](const Theorem& each) { return name == "theorem." + each.claim; });
}

}  // namespace

Decided forced_sink(const std::string& name, const Rational& eta,
                    const model::AttentionModel& model,
                    const std::function<Rational(const std::string& floor)>& certified) {
  const Theorem& theorem = theorem_of(name);
  std::vector<std::string> floors = {theorem.family + ".pre"};
  if (theorem.after_trigger && model.length >= 4) floors.push_back(theorem.family + ".post");
  const auto unit = check::loss_unit(model.box);
  const auto implied = unit ? theorem.implied(eta / *unit, model.length) : std::nullopt;
  const std::string eta_text =
      unit ? "eta = " + rounded::decimal_up(eta / *unit, kDigits) + over_unit(*unit)
           : "this box; theorems are about boxes [-r,r] with r > 0";
  Decided decided;
  Property& property = decided.property;
  property.name = name;
  property.rows = theorem.rows;
  certificate::Theorem stated{theorem.claim, eta, {}, {}, {}};
  const auto state = [&] {
    decided.stated =
        certificate::Property{name, property.verdict, certificate::ByTheorem{{floors}}, stated};
    return decided;
  };
  if (!implied) {
    property.verdict = "not-applicable";
    property.reason = "hypothesis " + theorem.condition +
                      (unit ? " fails at the certified " : " is not about ") + eta_text;
    property.hypothesis = theorem.condition + (unit ? ": fails at " : ": not about ") + eta_text;
    return state();
  }
  property.verdict = "proved";
  property.hypothesis = theorem.condition + ": holds at " + theorem.letter + " = " +
                        std::to_string(implied->parameter) + ", " + eta_text;
  property.implied = implied->floor;
  for (const std::string& floor : floors) {
    const Rational lower = certified(floor);
    if (!property.certified || lower < *property.certified) property.certified = lower;
  }
  stated.parameter = implied->parameter;
  stated.implied = property.implied;
  stated.certified = property.certified;
  return state();
}

}  // namespace sinkproof::certify
