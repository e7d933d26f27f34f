#include "certify/theorem.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "certify/digits.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::certify {

using exact::Rational;

namespace {

// tc-1's bound that reads a noise coordinate as well (proofs/tc-1, step 4), with the parameters
// that make its constant least: m as large as it gets, p = 4 or as near as the length allows.
std::optional<Implied> implied_by_noise_probe(const Rational& eta, std::size_t length) {
  if (length < 4) return std::nullopt;
  const Rational m(length - 2);
  const Rational p(std::min<std::size_t>(length - 2, 4));
  const Rational constant = 4 / (m - 1) + (p + 1) * (p + 3) / ((p - 1) * (m + 1));
  const bool applies = eta <= (m - 1) / (4 * (m + 1)) && constant * eta < 1;
  if (!applies) return std::nullopt;
  return Implied{length - 2, 1 - 2 * eta / (1 - constant * eta)};
}

Rational trigger_gap(std::size_t length) {
  return exact::make_rational(length - 3, 2 * (length - 1));
}

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
  bool after_trigger;  // speaks of rows after the trigger, too
  std::optional<Implied> (*implied)(const Rational& eta, std::size_t length);
};

const Theorem& theorem_of(const std::string& name) {
  static const std::string gap = "4 eta < D_J = (J - 3)/(2(J - 1)), 4 <= J <= L";
  static const std::vector<Theorem> theorems = {
      {"tc-1", "m",
       "2 m (m + 1) eta <= 1 or 4 (m + 1) eta <= m - 1 with C eta < 1, 2 <= m <= L - 2",
       rows_text(RowClass::kPre, false), "bos-floor", false, implied_by_tc1},
      {"tc-3", "J", gap, "1 <= i <= L, i != j", "bos-floor", true, implied_by_tc3},
      {"tc-4", "J", gap, "1 <= i <= L, i != j", "rollout-floor", true, implied_by_tc4}};
  return *std::find_if(theorems.begin(), theorems.end(),
                       [&](const Theorem& each) { return name == "theorem." + each.claim; });
}

}  // namespace

std::optional<Rational> loss_unit(const certificate::Box& box) {
  Rational unit = 1;
  for (const auto& [least, greatest] : box.intervals) {
    if (least + greatest != 0 || least == greatest) return std::nullopt;
    unit = std::min(unit, greatest);
  }
  return unit;
}

std::optional<Implied> implied_by_tc1(const Rational& eta, std::size_t length) {
  std::optional<Implied> best;
  for (std::size_t m = 2; m + 2 <= length && Rational(2 * m * (m + 1)) * eta <= 1; ++m) {
    best = Implied{m, 1 - 2 * (1 + exact::make_rational(1, m)) * eta};
  }
  const std::optional<Implied> sharper = implied_by_noise_probe(eta, length);
  return sharper && (!best || best->floor <= sharper->floor) ? sharper : best;
}

std::optional<Implied> implied_by_tc4(const Rational& eta, std::size_t length) {
  if (length < 4) return std::nullopt;
  const Rational d = trigger_gap(length);
  if (4 * eta >= d) return std::nullopt;
  return Implied{length, 1 - 2 * eta / (d - 2 * eta)};
}

std::optional<Implied> implied_by_tc3(const Rational& eta, std::size_t length) {
  auto implied = implied_by_tc4(eta, length);
  const bool exact = implied && eta * (16 + 22 * trigger_gap(length)) <= trigger_gap(length);
  if (exact) implied->floor = 1 - 4 * eta;
  return implied;
}

Decided forced_sink(const std::string& name, const Rational& eta,
                    const model::AttentionModel& model,
                    const std::function<Rational(const std::string& floor)>& certified) {
  const Theorem& theorem = theorem_of(name);
  std::vector<std::string> floors = {theorem.family + ".pre"};
  if (theorem.after_trigger && model.length >= 4) floors.push_back(theorem.family + ".post");
  const auto unit = loss_unit(model.box);
  const auto implied = unit ? theorem.implied(eta / *unit, model.length) : std::nullopt;
  const std::string eta_text =
      unit ? "eta = " + rounded::decimal_up(eta / *unit, kDigits) + over_unit(*unit)
           : "this box: theorems speak of [-r,r], r > 0";
  Decided decided;
  Property& property = decided.property;
  property.name = name;
  property.rows = theorem.rows;
  certificate::Theorem stated{theorem.claim, eta, {}, {}, {}};
  const auto state = [&] {
    decided.stated =
        certificate::Property{name, property.verdict, certificate::ByTheorem{floors}, stated};
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
