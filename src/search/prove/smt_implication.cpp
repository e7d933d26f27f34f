#include "prove/smt_implication.hpp"

#include <fmt/format.h>

#include "certificate/implication.hpp"
#include "certificate/strict.hpp"

namespace sinkproof::prove {
namespace {

using exact::Rational;
using exact::Result;
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

// {"polynomial", "relation"}: the polynomial stands in its relation to `right`.
std::string relation(const Value& constraint, const std::string& right) {
  return fmt::format("({} {} {})", constraint["relation"].get_ref<const std::string&>(),
                     term(constraint["polynomial"]), right);
}

}  // namespace

Result<SmtQuestion> smt_question(const Value& content, const std::string& where) {
  const Value& statement = content["statement"];
  const auto read = certificate::result_of(
      [&] { return certificate::read_implication_statement(statement, where); });
  if (!read) return tl::unexpected(read.error());
  const auto evidence = certificate::result_of(
      [&] { return certificate::read_implication_evidence(content["evidence"], *read, where); });
  if (!evidence) return tl::unexpected(evidence.error());

  std::string hypotheses = "(set-logic QF_NRA)\n";
  std::string place;
  for (std::size_t i = 0; i < read->variables.size(); ++i) {
    const std::string name = symbol(read->variables[i]);
    hypotheses += fmt::format("(declare-const {} Real)\n", name);
    place += fmt::format("(assert (= {} {}))\n", name, numeral(evidence->witness[i]));
  }
  for (const Value& hypothesis : statement["hypotheses"]) {
    hypotheses += fmt::format("(assert {})\n", relation(hypothesis, "0"));
  }
  const auto negated = [&](const std::string& right) {
    return fmt::format("(assert (not {}))\n", relation(statement["conclusion"], right));
  };
  const Rational attained = read->conclusion.formula.polynomial.evaluate(evidence->witness);
  const Rational above(exact::floor(attained) + 1);
  return SmtQuestion{hypotheses + negated("0") + "(check-sat)\n",
                     hypotheses + negated(numeral(above)) + place + "(check-sat)\n"};
}

}  // namespace sinkproof::prove
