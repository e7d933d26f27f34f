#include "certify/stack_bounds_once.hpp"

#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "certify/unit.hpp"
#include "exact/rational.hpp"
#include "forward/rollout.hpp"

namespace sinkproof::certify {
namespace {

using exact::Integer;
using forward::BoxBounds;
using forward::Range;
using json::Value;

Value to_json(const Range& range) { return Value::array({range.lower.str(), range.upper.str()}); }

Value to_json(const BoxBounds& bounds, std::size_t rows) {
  const std::optional<Range>& rollout = bounds.rollout[rows];
  Value paid = Value::array();
  for (const auto& heads : bounds.paid) {
    for (const auto& head : heads) {
      paid.push_back(Value::array({to_json(head[rows]->bos), to_json(head[rows]->null)}));
    }
  }
  return {{"loss", bounds.loss[rows]->str()},
          {"paid", std::move(paid)},
          {"rollout", rollout ? to_json(*rollout) : Value(nullptr)}};
}

// The functions below throw for what is not of the shape.

Integer integer(const Value& value) {
  const auto parsed = exact::parse_rational(value.get_ref<const std::string&>());
  if (boost::multiprecision::denominator(parsed.value()) != 1) throw std::domain_error("fraction");
  return boost::multiprecision::numerator(parsed.value());
}

Range range(const Value& value) { return {integer(value.at(0)), integer(value.at(1))}; }

void read_rows(const Value& value, std::size_t rows, const StackShape& shape, bool is_of_moments,
               BoxBounds& bounds) {
  bounds.loss[rows] = integer(value.at("loss"));
  for (std::size_t l = 0; l < shape.layers; ++l) {
    for (std::size_t h = 0; h < shape.heads; ++h) {
      const Value& head = value.at("paid").at(l * shape.heads + h);
      bounds.paid[l][h][rows] = BoxBounds::Paid{range(head.at(0)), range(head.at(1))};
    }
  }
  if (shape.rollout && !is_of_moments) bounds.rollout[rows] = range(value.at("rollout"));
}

StackBounds::Pass read_pass(const Value& value, bool is_first, const StackShape& shape) {
  StackBounds::Pass pass{value.at("moments").get<bool>(),
                         value.at("degree").get<std::size_t>(),
                         value.at("row_degree").get<std::size_t>(),
                         {}};
  pass.bounds.paid.assign(
      shape.layers,
      std::vector<std::array<std::optional<BoxBounds::Paid>, BoxBounds::kClasses>>(shape.heads));
  for (std::size_t rows = 0; rows < shape.asked.size(); ++rows) {
    const std::string key = to_string(static_cast<RowClass>(rows));
    if (!shape.asked[rows] || (!is_first && !value.contains(key))) continue;
    read_rows(value.at(key), rows, shape, pass.is_of_moments, pass.bounds);
  }
  return pass;
}

// What the bounds depend on beside the model and the options (unit.cpp).
std::string part_of(const StackSearch& search) {
  std::string part = "bounds";
  for (std::size_t rows = 0; rows < search.asked.size(); ++rows) {
    if (search.asked[rows]) part += " " + to_string(static_cast<RowClass>(rows));
  }
  return part + fmt::format(" for {:.0f} units", search.effort);
}

}  // namespace

json::Value to_json(const exact::Result<StackBounds>& bounds, const StackShape& shape) {
  if (!bounds) {
    return {{"failure", {bounds.error().code, bounds.error().where, bounds.error().what}}};
  }
  Value passes = Value::array();
  for (const StackBounds::Pass& pass : bounds->passes()) {
    Value& value = passes.emplace_back(Value{
        {"moments", pass.is_of_moments}, {"degree", pass.degree}, {"row_degree", pass.row_degree}});
    for (std::size_t rows = 0; rows < shape.asked.size(); ++rows) {
      if (!shape.asked[rows] || !pass.bounds.loss[rows]) continue;
      value[to_string(static_cast<RowClass>(rows))] = to_json(pass.bounds, rows);
    }
  }
  return {{"passes", std::move(passes)}};
}

std::optional<exact::Result<StackBounds>> stack_bounds_from_json(const json::Value& value,
                                                                 const StackShape& shape) {
  try {
    if (value.contains("failure")) {
      const Value& why = value.at("failure");
      return exact::fail(why.at(0), why.at(1), why.at(2));
    }
    std::vector<StackBounds::Pass> passes;
    for (const Value& pass : value.at("passes")) {
      passes.push_back(read_pass(pass, passes.empty(), shape));
    }
    if (passes.empty()) return std::nullopt;
    return StackBounds(std::move(passes));
  } catch (const std::exception&) {
    return std::nullopt;  // a file somebody made up: every access above says what it needs
  }
}

exact::Result<StackBounds> stack_bounds_once(const model::AttentionModel& model,
                                             const Options& options,
                                             const forward::Model& exact_model,
                                             const StackSearch& search) {
  if (options.journal == nullptr) return StackBounds::make(exact_model, search);
  const StackShape shape{model.layers.size(), model.num_heads, forward::has_rollout(exact_model),
                         search.asked};
  const std::string part = part_of(search);
  const json::Value found = found_once(
      model, options, part,
      [&](const json::Value& value) { return stack_bounds_from_json(value, shape).has_value(); },
      [&] { return to_json(StackBounds::make(exact_model, search), shape); });
  auto bounds = stack_bounds_from_json(found, shape);
  if (!bounds) return tl::unexpected(part_missing(part));
  return *std::move(bounds);
}

}  // namespace sinkproof::certify
