#include "certificate/formula.hpp"

#include <algorithm>

#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Polynomial;

constexpr std::size_t kMaxNodes = 10000;       // strings and operator arrays in one expression
constexpr std::size_t kMaxLiteral = 400;       // characters of one number
constexpr std::size_t kMaxTerms = 10000;       // of any intermediate expansion
constexpr std::size_t kMaxProducts = 1000000;  // terms of a times terms of b in one product
constexpr unsigned kMaxWeight = 64;  // see FORMAT.md; bounds degree and coefficient growth

void require_few_terms(const Formula& result, const std::string& where) {
  require(result.polynomial.terms().size() <= kMaxTerms, where,
          "more than 10000 terms after expansion", "SP0504");
}

class Reader {
 public:
  Reader(const std::vector<std::string>& variables, const std::string& where)
      : variables_(variables), where_(where) {}

  Formula read(const json::Value& expression) {
    demand(++nodes_ <= kMaxNodes, "more than 10000 nodes");
    if (expression.is_string()) return read_atom(expression.get_ref<const std::string&>());
    demand(expression.is_array() && expression.size() >= 2 && expression[0].is_string(),
           "an expression is a string or [operator, operand, ...]");
    const auto name = expression[0].get<std::string>();
    if (name == "+" || name == "*") return read_chain(expression, name == "+");
    if (name == "-") return read_minus(expression);
    demand(name == "^", "unknown operator \"" + name.substr(0, 40) + "\"");
    return read_power(expression);
  }

 private:
  void demand(bool condition, const std::string& what) const {
    require(condition, where_, what, "SP0504");
  }

  [[nodiscard]] Formula read_atom(const std::string& text) const {
    if (is_variable_name(text)) {
      const auto found = std::find(variables_.begin(), variables_.end(), text);
      demand(found != variables_.end(), "undeclared variable " + text);
      const auto index = static_cast<std::size_t>(found - variables_.begin());
      return {Polynomial::variable(index), 1};
    }
    demand(text.size() <= kMaxLiteral, "a number over 400 characters");
    return {Polynomial::constant(rational(text, where_)), 1};
  }

  Formula read_chain(const json::Value& expression, bool is_sum) {
    demand(expression.size() >= 3, "+ and * take two or more operands");
    Formula result = read(expression[1]);
    for (std::size_t i = 2; i < expression.size(); ++i) {
      const Formula next = read(expression[i]);
      if (is_sum) {
        add(result, next, where_);
      } else {
        result = product(result, next);
      }
    }
    return result;
  }

  Formula read_minus(const json::Value& expression) {
    demand(expression.size() <= 3, "- takes one or two operands");
    Formula first = read(expression[1]);
    if (expression.size() == 2) {
      first.polynomial = -first.polynomial;
      return first;
    }
    Formula second = read(expression[2]);
    second.polynomial = -second.polynomial;
    add(first, second, where_);
    return first;
  }

  Formula read_power(const json::Value& expression) {
    demand(expression.size() == 3 && expression[2].is_number_unsigned() && expression[2] >= 1 &&
               expression[2] <= kMaxWeight,
           "^ takes an expression and an integer from 1 to 64");
    const Formula base = read(expression[1]);
    Formula result = base;
    for (auto left = expression[2].get<unsigned>(); left > 1; --left) {
      result = product(result, base);
    }
    return result;
  }

  [[nodiscard]] Formula product(const Formula& a, const Formula& b) const {
    demand(a.weight + b.weight <= kMaxWeight, "weight over 64");
    return multiply(a, b, where_);
  }

  const std::vector<std::string>& variables_;
  const std::string& where_;
  std::size_t nodes_ = 0;
};

}  // namespace

Formula multiply(const Formula& a, const Formula& b, const std::string& where) {
  const std::size_t pairs = a.polynomial.terms().size() * b.polynomial.terms().size();
  require(pairs <= kMaxProducts, where, "a product of more than 1000000 pairs of terms", "SP0504");
  Formula product{a.polynomial * b.polynomial, a.weight + b.weight};
  require_few_terms(product, where);
  return product;
}

void add(Formula& sum, const Formula& b, const std::string& where) {
  sum.polynomial += b.polynomial;
  sum.weight = std::max(sum.weight, b.weight);
  require_few_terms(sum, where);
}

bool is_variable_name(const std::string& text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return text.size() <= 40 && text.find_first_of(letters) == 0 &&
         text.find_first_not_of(letters + "0123456789_") == std::string::npos;
}

std::vector<std::string> read_variables(const json::Value& object, const std::string& where) {
  std::vector<std::string> names = texts(object, "variables", where);
  require(!names.empty() && names.size() <= kMaxVariables, where, "between 1 and 64 variables",
          "SP0504");
  for (std::size_t i = 0; i < names.size(); ++i) {
    require(is_variable_name(names[i]), where, "\"" + names[i].substr(0, 40) + "\" is no variable",
            "SP0504");
    require(i == 0 || names[i - 1] < names[i], where, "variables must be distinct and sorted",
            "SP0504");
  }
  return names;
}

Formula read_expression(const json::Value& expression, const std::vector<std::string>& variables,
                        const std::string& where) {
  return Reader(variables, where).read(expression);
}

}  // namespace sinkproof::certificate
