#include "certificate/expression.hpp"

#include <fmt/format.h>

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

  exact::Result<Sized> read(const json::Value& expression) {
    if (++nodes_ > kMaxNodes) return refuse(fmt::format("more than {} nodes", kMaxNodes));
    if (expression.is_string()) return read_atom(expression.get<std::string>());
    if (!expression.is_array() || expression.size() < 2 || !expression[0].is_string()) {
      return refuse("an expression is a string or [operator, operand, ...]");
    }
    const auto name = expression[0].get<std::string>();
    if (name == "+" || name == "*") return read_chain(expression, name == "+");
    if (name == "-") return read_minus(expression);
    if (name == "^") return read_power(expression);
    return refuse(fmt::format("unknown operator \"{}\"", name.substr(0, 40)));
  }

 private:
  tl::unexpected<exact::Error> refuse(const std::string& what) const {
    return exact::fail("SP0504", where_, what);
  }

  exact::Result<Sized> read_atom(const std::string& text) const {
    if (is_variable_name(text)) {
      const auto found = std::find(variables_.begin(), variables_.end(), text);
      if (found == variables_.end()) return refuse(fmt::format("undeclared variable {}", text));
      const auto index = static_cast<std::size_t>(found - variables_.begin());
      return Sized{{Polynomial::variable(index), text.size(), variables_.size()}, 1};
    }
    if (text.size() > kMaxLiteral) {
      return refuse(fmt::format("a number over {} characters", kMaxLiteral));
    }
    auto number = exact::parse_rational(text);
    if (!number) {
      number.error().where = fmt::format("{}: {}", where_, number.error().where);
      return tl::unexpected(number.error());
    }
    return Sized{{Polynomial::constant(*number), text.size(), variables_.size()}, 1};
  }

  exact::Result<Sized> read_chain(const json::Value& expression, bool is_sum) {
    if (expression.size() < 3) return refuse("+ and * take two or more operands");
    auto result = read(expression[1]);
    for (std::size_t i = 2; result && i < expression.size(); ++i) {
      auto next = read(expression[i]);
      if (!next) return next;
      result = is_sum ? sum(*std::move(result), *next) : product(*result, *next);
    }
    return result;
  }

  exact::Result<Sized> read_minus(const json::Value& expression) {
    if (expression.size() > 3) return refuse("- takes one or two operands");
    auto first = read(expression[1]);
    if (!first) return first;
    if (expression.size() == 2) {
      if (auto negated = negate(first->formula, work_, where_); !negated) {
        return tl::unexpected(negated.error());
      }
      return first;
    }
    auto second = read(expression[2]);
    if (!second) return second;
    second->formula.polynomial = -second->formula.polynomial;
    return sum(*std::move(first), *second);
  }

  exact::Result<Sized> read_power(const json::Value& expression) {
    if (expression.size() != 3 || !expression[2].is_number_unsigned() ||
        expression[2].get<std::uint64_t>() < 1 || expression[2].get<std::uint64_t>() > kMaxWeight) {
      return refuse(fmt::format("^ takes an expression and an integer from 1 to {}", kMaxWeight));
    }
    auto base = read(expression[1]);
    if (!base) return base;
    if (expression[2].get<unsigned>() == 1) return base;
    auto result = base;
    for (auto left = expression[2].get<unsigned>(); result && left > 1; --left) {
      result = product(*result, *base);
    }
    return result;
  }

  exact::Result<Sized> sum(Sized a, const Sized& b) const {
    if (auto added = add(a.formula, b.formula, work_, where_); !added) {
      return tl::unexpected(added.error());
    }
    a.weight = std::max(a.weight, b.weight);
    return a;
  }
  exact::Result<Sized> product(const Sized& a, const Sized& b) const {
    if (a.weight + b.weight > kMaxWeight) {
      return refuse(fmt::format("weight over {}", kMaxWeight));
    }
    auto formula = multiply(a.formula, b.formula, work_, where_);
    if (!formula) return tl::unexpected(formula.error());
    return Sized{*std::move(formula), a.weight + b.weight};
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

exact::Result<std::vector<std::string>> read_variables(const json::Value& object,
                                                       const std::string& where) {
  auto names = strings_field(object, "variables", where);
  if (!names) return names;
  if (names->empty() || names->size() > kMaxVariables) {
    return exact::fail("SP0504", where, "between 1 and 64 variables");
  }
  for (std::size_t i = 0; i < names->size(); ++i) {
    if (!is_variable_name((*names)[i])) {
      return exact::fail("SP0504", where,
                         fmt::format("\"{}\" is no variable", (*names)[i].substr(0, 40)));
    }
    if (i > 0 && !((*names)[i - 1] < (*names)[i])) {
      return exact::fail("SP0504", where, "variables must be distinct and sorted");
    }
  }
  return names;
}

exact::Result<Formula> read_expression(const json::Value& expression,
                                       const std::vector<std::string>& variables, Work& work,
                                       const std::string& where) {
  auto result = Reader(variables, work, where).read(expression);
  if (!result) return tl::unexpected(result.error());
  if (auto kept = keep(result->formula, work, where); !kept) return tl::unexpected(kept.error());
  return std::move(result->formula);
}

}  // namespace sinkproof::certificate
