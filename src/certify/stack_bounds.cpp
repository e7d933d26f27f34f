#include "certify/stack_bounds.hpp"

#include <exception>
#include <vector>

#include "exact/rational.hpp"

namespace sinkproof::certify {
namespace {

using exact::Integer;
using forward::Range;
using json::Value;
using Paid = forward::BoxBounds::Paid;

Value to_json(const Range& range) { return Value::array({range.lower.str(), range.upper.str()}); }

Value rows_to_json(const Made& made, std::size_t rows, const StackShape& shape) {
  Value paid = Value::array();
  for (std::size_t l = 0; l < shape.layers; ++l) {
    for (std::size_t h = 0; h < shape.heads; ++h) {
      const Paid& head = *made.bounds.paid[l][h][rows];
      paid.push_back(Value::array({to_json(head.bos), to_json(head.null)}));
    }
  }
  return {{"degree", made.degree},
          {"loss", made.bounds.loss[rows]->str()},
          {"paid", std::move(paid)},
          {"row_degree", made.row_degree}};
}

Integer integer(const Value& value) {
  const auto parsed = exact::parse_rational(value.get_ref<const std::string&>());
  if (boost::multiprecision::denominator(parsed.value()) != 1) throw std::domain_error("fraction");
  return boost::multiprecision::numerator(parsed.value());
}

Range range(const Value& value) { return {integer(value.at(0)), integer(value.at(1))}; }

Made rows_from_json(const Value& value, std::size_t rows, const StackShape& shape) {
  Made made;
  made.degree = value.at("degree").get<std::size_t>();
  made.row_degree = value.at("row_degree").get<std::size_t>();
  made.bounds.loss[rows] = integer(value.at("loss"));
  made.bounds.paid.resize(shape.layers);
  for (std::size_t l = 0; l < shape.layers; ++l) {
    made.bounds.paid[l].resize(shape.heads);
    for (std::size_t h = 0; h < shape.heads; ++h) {
      const Value& head = value.at("paid").at(l * shape.heads + h);
      made.bounds.paid[l][h][rows] = Paid{range(head.at(0)), range(head.at(1))};
    }
  }
  return made;
}

}  // namespace

std::string StackShape::part() const {
  std::string text = "bounds";
  for (std::size_t rows = 0; rows < asked.size(); ++rows) {
    if (asked[rows]) text += " " + to_string(static_cast<RowClass>(rows));
  }
  return text;
}

json::Value to_json(const exact::Result<BestOfRows>& made, const StackShape& shape) {
  if (!made) return {{"failure", {made.error().code, made.error().where, made.error().what}}};
  Value value = Value::object();
  for (std::size_t rows = 0; rows < made->size(); ++rows) {
    if (!shape.asked[rows]) continue;
    value[to_string(static_cast<RowClass>(rows))] = rows_to_json((*made)[rows], rows, shape);
  }
  return value;
}

std::optional<exact::Result<BestOfRows>> bounds_from_json(const json::Value& value,
                                                          const StackShape& shape) {
  try {
    if (value.contains("failure")) {
      const Value& why = value.at("failure");
      return exact::fail(why.at(0), why.at(1), why.at(2));
    }
    BestOfRows best;
    for (std::size_t rows = 0; rows < best.size(); ++rows) {
      if (!shape.asked[rows]) continue;
      best[rows] = rows_from_json(value.at(to_string(static_cast<RowClass>(rows))), rows, shape);
    }
    return best;
  } catch (const std::exception&) {
    return std::nullopt;  // a file somebody made up: every access above says what it needs
  }
}

}  // namespace sinkproof::certify
