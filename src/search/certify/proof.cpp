#include "certify/proof.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "certify/estimate.hpp"
#include "certify/point.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::certify {
namespace {
constexpr unsigned kBoundDigits = 6;
constexpr int kMultiplierBits = 16;

certificate::Point stated_point(const Point& point) {
  constexpr char kZero = '@';
  certificate::Point stated;
  for (const std::string& characters : point) {
    std::vector<int>& numbers = stated.emplace_back();
    for (const char code : characters) numbers.push_back(code - kZero);
  }
  return stated;
}

}  // namespace

certificate::Trees stated_trees(std::span<const std::size_t> order,
                                const std::vector<std::string>& trees) {
  certificate::Trees stated{{order.begin(), order.end()}, {}, {}};
  std::map<Label, std::size_t> numbers;
  for (const std::string& tree : trees) {
    std::string text;
    for (std::size_t next = 0; next < tree.size(); ++next) {
      text += tree[next];
      if (tree[next] != '[') continue;
      const std::size_t end = tree.find(']', next);
      const Label label = tree.substr(next + 1, end - next - 1);
      const auto [found, is_new] = numbers.emplace(label, stated.points.size());
      if (is_new) {
        for (const Point& point : points_of(label)) stated.points.push_back(stated_point(point));
      }
      text += std::to_string(found->second);
      next = end - 1;
    }
    stated.trees.push_back(std::move(text));
  }
  return stated;
}

exact::Rational bound_above(const exact::Rational& value) {
  return rounded::round_up_decimal(value, kBoundDigits);
}

double least_above(double number, double most, const std::function<bool(double)>& holds) {
  if (!(number > 0)) return HUGE_VAL;
  double step = 0.001;
  double high = number * (1 + step);
  for (; high < most && !holds(high); high = number * (1 + step)) step *= 4;
  if (high >= most && (std::isinf(most) || !holds(high = most))) return HUGE_VAL;
  constexpr double kEnough = 0.0005;
  while (high > number * (1 + kEnough)) {
    const double middle = std::sqrt(number) * std::sqrt(high);  // their product may be no double
    if (!(number < middle && middle < high)) break;             // nor any between the two
    (holds(middle) ? high : number) = middle;
  }
  return high;
}

std::optional<exact::Rational> bound_above(double value) {
  const auto exactly = exact_value(value);
  if (!exactly) return std::nullopt;
  return bound_above(*exactly);
}

std::optional<exact::Rational> bound_below(double value) {
  const auto exactly = exact_value(value);
  if (!exactly) return std::nullopt;
  return rounded::round_down_decimal(*exactly, kBoundDigits);
}

exact::Rational stated_below(const exact::Rational& value, unsigned places) {
  const exact::Integer unit = boost::multiprecision::pow(exact::Integer(10), places);
  const exact::Integer units = exact::floor(value * exact::Rational(unit));
  return rounded::round_down_decimal(exact::make_rational(units, unit), places);
}

exact::Rational stated_above(const exact::Rational& value, unsigned places) {
  return -stated_below(-value, places);
}

exact::Rational short_dyadic(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return exact::Rational(exact::Integer(std::lround(std::ldexp(fraction, kMultiplierBits)))) *
         exact::power_of_two(exponent - kMultiplierBits);
}

}  // namespace sinkproof::certify
