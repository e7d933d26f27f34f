#include "certificate/formula.hpp"

#include <algorithm>

#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Polynomial;

// No expression a checker meets may cost it more than a moment.
constexpr std::size_t kMaxNodes = 10000;       // strings and operator arrays in one expression
constexpr std::size_t kMaxLiteral = 400;       // characters of one number
constexpr std::size_t kMaxTerms = 10000;       // of any intermediate expansion
constexpr std::size_t kMaxProducts = 1000000;  // terms of a times terms of b in one product
constexpr unsigned kMaxWeight = 64;  // see FORMAT.md; bounds degree and coefficient growth

constexpr std::uint64_t kBitsOfCharacter = 4;

std::uint64_t cost_of_term(std::uint64_t size, std::uint64_t variables) {
  return product_of({units_of_term(variables), cost_of(product_of({kBitsOfCharacter, size}))});
}

std::uint64_t cost_of_term(const Formula& a, const Formula& b) {
  return cost_of_term(sum_of({a.size, b.size}), std::max(a.variables, b.variables));
}

void require_few_terms(const Formula& result, const std::string& where) {
  require(result.polynomial.terms().size() <= kMaxTerms, where,
          "more than 10000 terms after expansion", "SP0504");
}

class Reader {
 public:
  Reader(const std::vector<std::string>& variables, Work& work, const std::string& where)
      : variables_(variables), work_(work), where_(where) {}

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
      return {Polynomial::variable(index), text.size(), variables_.size(), 1};
    }
    demand(text.size() <= kMaxLiteral, "a number over 400 characters");
    return {Polynomial::constant(rational(text, where_)), text.size(), variables_.size(), 1};
  }

  Formula read_chain(const json::Value& expression, bool is_sum) {
    demand(expression.size() >= 3, "+ and * take two or more operands");
    Formula result = read(expression[1]);
    for (std::size_t i = 2; i < expression.size(); ++i) {
      const Formula next = read(expression[i]);
      if (is_sum) {
        add(result, next, work_, where_);
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
      work_.spend({first.polynomial.terms().size(), cost_of_term(first.size, first.variables)},
                  where_);
      first.polynomial = -first.polynomial;
      return first;
    }
    Formula second = read(expression[2]);
    second.polynomial = -second.polynomial;
    add(first, second, work_, where_);
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
    return multiply(a, b, work_, where_);
  }

  const std::vector<std::string>& variables_;
  Work& work_;
  const std::string& where_;
  std::size_t nodes_ = 0;
};

}  // namespace

std::uint64_t units_of_term(std::uint64_t variables) { return 5 + variables; }

Formula multiply(const Formula& a, const Formula& b, Work& work, const std::string& where) {
  const std::size_t pairs = a.polynomial.terms().size() * b.polynomial.terms().size();
  require(pairs <= kMaxProducts, where, "a product of more than 1000000 pairs of terms", "SP0504");
  work.spend({pairs, cost_of_term(a, b)}, where);
  Formula product{a.polynomial * b.polynomial, sum_of({a.size, b.size}),
                  std::max(a.variables, b.variables), a.weight + b.weight};
  require_few_terms(product, where);
  return product;
}

void add(Formula& sum, const Formula& b, Work& work, const std::string& where) {
  work.spend({b.polynomial.terms().size(), cost_of_term(sum, b)}, where);
  sum.polynomial += b.polynomial;
  sum.size = sum_of({sum.size, b.size});
  sum.variables = std::max(sum.variables, b.variables);
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
                        Work& work, const std::string& where) {
  Formula formula = Reader(variables, work, where).read(expression);
  work.spend({300 + 8 * formula.variables, formula.polynomial.terms().size(),
              cost_of(product_of({kBitsOfCharacter, formula.size}))},
             where);
  return formula;
}

}  // namespace sinkproof::certificate
