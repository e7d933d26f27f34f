#include "certificate/formula.hpp"

#include <algorithm>

#include "certificate/schema.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Polynomial;

constexpr std::size_t kMaxNodes = 10000;       // strings and operator arrays in one expression
constexpr std::size_t kMaxLiteral = 400;       // characters of one number
constexpr std::size_t kMaxTerms = 10000;       // of any intermediate expansion
constexpr std::size_t kMaxProducts = 1000000;  // terms of a times terms of b in one product
constexpr unsigned kMaxWeight = 64;  // see FORMAT.md; bounds degree and coefficient growth

void require_few_terms(const Polynomial& result, const std::string& where) {
  require(result.terms().size() <= kMaxTerms, where, "more than 10000 terms after expansion",
          "SP0504");
}

struct Formula {
  Polynomial polynomial;
  unsigned weight = 0;  // of the expression
};

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
    auto number = exact::parse_rational(text);
    if (!number) number.error().where = where_ + ": " + number.error().where;
    return {Polynomial::constant(value_of(std::move(number))), 1};
  }

  Formula read_chain(const json::Value& expression, bool is_sum) {
    demand(expression.size() >= 3, "+ and * take two or more operands");
    Formula result = read(expression[1]);
    for (std::size_t i = 2; i < expression.size(); ++i) {
      const Formula next = read(expression[i]);
      if (is_sum) {
        add_to(result, next);
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
    add_to(first, second);
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
    return {multiply(a.polynomial, b.polynomial, where_), a.weight + b.weight};
  }

  void add_to(Formula& sum, const Formula& b) const {
    add(sum.polynomial, b.polynomial, where_);
    sum.weight = std::max(sum.weight, b.weight);
  }

  const std::vector<std::string>& variables_;
  const std::string& where_;
  std::size_t nodes_ = 0;
};

}  // namespace

Polynomial multiply(const Polynomial& a, const Polynomial& b, const std::string& where) {
  const std::size_t pairs = a.terms().size() * b.terms().size();
  require(pairs <= kMaxProducts, where, "a product of more than 1000000 pairs of terms", "SP0504");
  Polynomial product = a * b;
  require_few_terms(product, where);
  return product;
}

void add(Polynomial& sum, const Polynomial& b, const std::string& where) {
  sum += b;
  require_few_terms(sum, where);
}

bool is_variable_name(const std::string& text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return text.size() <= 40 && text.find_first_of(letters) == 0 &&
         text.find_first_not_of(letters + "0123456789_") == std::string::npos;
}

void describe_variables(Fields& io, std::vector<std::string>& of) {
  io.list("variables", of, {1, kMaxVariables, "must be 1 to 64 names", "SP0504"},
          [&](Fields& list, const Key& key, std::string& name) {
            list.text(key, name);
            list.require_of(key, is_variable_name(name), "is not the name of a variable", "SP0504");
            list.require_of(key, key.index == 0 || of[key.index - 1] < name,
                            "variables must be distinct and sorted", "SP0504");
          });
}

void describe(Fields& io, const Key& key, Expression& of,
              const std::vector<std::string>& variables) {
  io.value(key, of.text);
  if (!io.reads()) return;
  const std::string where = io.path_of(key);
  of.polynomial = Reader(variables, where).read(of.text).polynomial;
}

}  // namespace sinkproof::certificate
