#include "certify/decided_json.hpp"

#include <string>
#include <utility>

namespace sinkproof::certify {
namespace {

using exact::Rational;
using json::Value;

constexpr std::pair<const char*, std::string Property::*> kTexts[] = {
    {"hypothesis", &Property::hypothesis}, {"name", &Property::name},
    {"reason", &Property::reason},         {"rows", &Property::rows},
    {"verdict", &Property::verdict},
};
constexpr std::pair<const char*, std::optional<Rational> Property::*> kNumbers[] = {
    {"exceedance", &Property::exceedance},
    {"lower", &Property::lower},
    {"threshold", &Property::threshold},
    {"upper", &Property::upper},
};
constexpr std::pair<const char*, std::uint64_t Property::*> kCounts[] = {
    {"exceeding", &Property::exceeding},
    {"samples", &Property::samples},
};
constexpr std::pair<const char*, std::optional<std::size_t> Property::*> kPlaces[] = {
    {"head", &Property::head},
    {"layer", &Property::layer},
};

Value one_to_json(const Decided& decided) {
  const Property& property = decided.property;
  Value value = {{"entry", decided.entry}, {"failure", nullptr}, {"witness", nullptr}};
  if (const auto& failure = decided.failure) {
    value["failure"] = {failure->code, failure->where, failure->what};
  }
  if (property.witness) value["witness"] = witness_entry(*property.witness);
  for (const auto& [key, member] : kTexts) value[key] = property.*member;
  for (const auto& [key, member] : kNumbers) {
    value[key] = property.*member ? Value(exact::to_string(*(property.*member))) : Value(nullptr);
  }
  for (const auto& [key, member] : kCounts) value[key] = property.*member;
  for (const auto& [key, member] : kPlaces) {
    value[key] = property.*member ? Value(*(property.*member)) : Value(nullptr);
  }
  return value;
}

Rational number(const Value& value) {
  auto parsed = exact::parse_rational(value.get_ref<const std::string&>());
  return parsed.value();
}

Witness witness(const Value& value) {
  Witness witness;
  witness.coordinate = value.at("coordinate").get<std::size_t>();
  witness.row = value.at("row").get<std::size_t>();
  witness.sign = value.at("sign").get<int>();
  witness.trigger = value.at("trigger").get<std::size_t>();
  for (const Value& token : value.at("tokens")) {
    auto& coordinates = witness.tokens.emplace_back();
    for (const Value& coordinate : token) coordinates.push_back(number(coordinate));
  }
  return witness;
}

// Throws for what is not of the form.
Decided one_from_json(const Value& value) {
  Decided decided;
  decided.entry = value.at("entry");
  Property& property = decided.property;
  if (const Value& failure = value.at("failure"); !failure.is_null()) {
    decided.failure = exact::Error{failure.at(0), failure.at(1), failure.at(2)};
  }
  if (const Value& found = value.at("witness"); !found.is_null()) property.witness = witness(found);
  for (const auto& [key, member] : kTexts) property.*member = value.at(key).get<std::string>();
  for (const auto& [key, member] : kNumbers) {
    if (const Value& found = value.at(key); !found.is_null()) property.*member = number(found);
  }
  for (const auto& [key, member] : kCounts) property.*member = value.at(key).get<std::uint64_t>();
  for (const auto& [key, member] : kPlaces) {
    if (const Value& found = value.at(key); !found.is_null()) {
      property.*member = found.get<std::size_t>();
    }
  }
  if (property.verdict == "enclosed") {
    decided.entry.at("proof").at("rule").get_ref<const std::string&>();
    property.lower.value();
    property.upper.value();
  }
  return decided;
}

}  // namespace

json::Value to_json(const std::vector<Decided>& decided) {
  Value list = Value::array();
  for (const Decided& one : decided) list.push_back(one_to_json(one));
  return list;
}

std::optional<std::vector<Decided>> decided_from_json(const json::Value& value) {
  try {
    std::vector<Decided> list;
    for (const Value& one : value) list.push_back(one_from_json(one));
    return list;
  } catch (const std::exception&) {
    return std::nullopt;  // a file somebody made up: every access above says what it needs
  }
}

}  // namespace sinkproof::certify
