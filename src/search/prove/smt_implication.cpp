#include "prove/smt_implication.hpp"

#include <fmt/format.h>

#include <array>

namespace sinkproof::prove {
namespace {

using certificate::Constraint;
using exact::Rational;
using json::Value;

// No word of SMT-LIB begins like this.
std::string symbol(const std::string& variable) { return "v_" + variable; }

std::string numeral(const Rational& value) {
  const Rational size = exact::abs(value);
  const std::string top = boost::multiprecision::numerator(size).str();
  const std::string bottom = boost::multiprecision::denominator(size).str();
  const std::string text = bottom == "1" ? top : fmt::format("(/ {} {})", top, bottom);
  return value < 0 ? fmt::format("(- {})", text) : text;
}

// Precondition: FORMAT.md, 3.7, reads `expression`.
std::string term(const Value& expression) {
  if (expression.is_string()) {
    const auto& word = expression.get_ref<const std::string&>();
    const auto number = exact::parse_rational(word);
    return number ? numeral(*number) : symbol(word);
  }
  const auto& operation = expression[0].get_ref<const std::string&>();
  std::string text;
  if (operation == "^") {
    const auto exponent = expression[2].get<unsigned>();
    std::string base = term(expression[1]);
    if (exponent == 1) return base;
    for (unsigned i = 0; i < exponent; ++i) text += " " + base;
    return "(*" + text + ")";
  }
  for (std::size_t i = 1; i < expression.size(); ++i) text += " " + term(expression[i]);
  return "(" + operation + text + ")";
}

// The polynomial stands in its relation to `right`.
std::string relation(const Constraint& constraint, const std::string& right) {
  constexpr std::array<const char*, 3> signs = {">", ">=", "="};  // in the order of Relation
  return fmt::format("({} {} {})", signs.at(static_cast<std::size_t>(constraint.relation)),
                     term(constraint.expression.text), right);
}

}  // namespace

SmtQuestion smt_question(const certificate::Implication& step) {
  std::string hypotheses = "(set-logic QF_NRA)\n";
  std::string place;
  for (std::size_t i = 0; i < step.variables.size(); ++i) {
    const std::string name = symbol(step.variables[i]);
    hypotheses += fmt::format("(declare-const {} Real)\n", name);
    place += fmt::format("(assert (= {} {}))\n", name, numeral(step.witness[i]));
  }
  for (const Constraint& hypothesis : step.hypotheses) {
    hypotheses += fmt::format("(assert {})\n", relation(hypothesis, "0"));
  }
  const auto negated = [&](const std::string& right) {
    return fmt::format("(assert (not {}))\n", relation(step.conclusion, right));
  };
  const Rational attained = step.conclusion.expression.polynomial.evaluate(step.witness);
  const Rational above(exact::floor(attained) + 1);
  return {hypotheses + negated("0") + "(check-sat)\n",
          hypotheses + negated(numeral(above)) + place + "(check-sat)\n"};
}

}  // namespace sinkproof::prove
