#include "certificate/expression.hpp"

#include <algorithm>

#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Polynomial;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Reader {
 public:
  Reader(const std::vector<std::string>& variables, Work& work, const std::string& where)
      : variables_(variables), work_(work), where_(where) {}

  struct Sized {
    Formula formula;
    unsigned weight;
  };

  Sized read(const json::Value& expression) {
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

  [[nodiscard]] Sized read_atom(const std::string& text) const {
    if (is_variable_name(text)) {
      const auto found = std::find(variables_.begin(), variables_.end(), text);
      demand(found != variables_.end(), "undeclared variable " + text);
      const auto index = static_cast<std::size_t>(found - variables_.begin());
      return {{Polynomial::variable(index), text.size(), variables_.size()}, 1};
    }
    demand(text.size() <= kMaxLiteral, "a number over 400 characters");
    return {{Polynomial::constant(rational(text, where_)), text.size(), variables_.size()}, 1};
  }

  Sized read_chain(const json::Value& expression, bool is_sum) {
    demand(expression.size() >= 3, "+ and * take two or more operands");
    Sized result = read(expression[1]);
    for (std::size_t i = 2; i < expression.size(); ++i) {
      const Sized next = read(expression[i]);
      result = is_sum ? sum(std::move(result), next) : product(result, next);
    }
    return result;
  }

  Sized read_minus(const json::Value& expression) {
    demand(expression.size() <= 3, "- takes one or two operands");
    Sized first = read(expression[1]);
    if (expression.size() == 2) {
      negate(first.formula, work_, where_);
      return first;
    }
    Sized second = read(expression[2]);
    second.formula.polynomial = -second.formula.polynomial;
    return sum(std::move(first), second);
  }

  Sized read_power(const json::Value& expression) {
    demand(expression.size() == 3 && expression[2].is_number_unsigned() && expression[2] >= 1 &&
               expression[2] <= kMaxWeight,
           "^ takes an expression and an integer from 1 to 64");
    const Sized base = read(expression[1]);
    Sized result = base;
    for (auto left = expression[2].get<unsigned>(); left > 1; --left) {
      result = product(result, base);
    }
    return result;
  }

  [[nodiscard]] Sized sum(Sized a, const Sized& b) const {
    add(a.formula, b.formula, work_, where_);
    a.weight = std::max(a.weight, b.weight);
    return a;
  }
  [[nodiscard]] Sized product(const Sized& a, const Sized& b) const {
    demand(a.weight + b.weight <= kMaxWeight, "weight over 64");
    return {multiply(a.formula, b.formula, work_, where_), a.weight + b.weight};
  }

  const std::vector<std::string>& variables_;
  Work& work_;
  const std::string& where_;
  std::size_t nodes_ = 0;
};

}  // namespace

bool is_variable_name(const std::string& text) {
  constexpr std::size_t longest = 40;
  return !text.empty() && text.size() <= longest && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
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
  Formula formula = Reader(variables, work, where).read(expression).formula;
  keep(formula, work, where);
  return formula;
}

}  // namespace sinkproof::certificate
