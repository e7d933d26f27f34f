#include "certify/decided_json.hpp"

#include <string>
#include <utility>

#include "write/write.hpp"

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

Value to_json(const Witness& witness) {
  Value tokens = Value::array();
  for (const auto& token : witness.tokens) {
    Value& coordinates = tokens.emplace_back(Value::array());
    for (const Rational& x : token) coordinates.push_back(exact::to_string(x));
  }
  return {{"coordinate", witness.coordinate},
          {"row", witness.row},
          {"sign", witness.sign},
          {"tokens", std::move(tokens)},
          {"trigger", witness.trigger}};
}

Value one_to_json(const Decided& decided, const certificate::Checkpoint& whole) {
  const Property& property = decided.property;
  Value value = {{"failure", nullptr}, {"stated", nullptr}, {"witness", nullptr}};
  if (decided.stated) value["stated"] = write::written(*decided.stated, whole);
  if (const auto& failure = decided.failure) {
    value["failure"] = {failure->code, failure->where, failure->what};
  }
  if (property.witness) value["witness"] = to_json(*property.witness);
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
Decided one_from_json(const Value& value, const certificate::Checkpoint& whole) {
  Decided decided;
  if (const Value& stated = value.at("stated"); !stated.is_null()) {
    decided.stated = certificate::read<certificate::Property>(stated, "property", whole);
  }
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
    static_cast<void>(decided.stated.value());
    property.lower.value();
    property.upper.value();
  }
  return decided;
}

}  // namespace

json::Value to_json(const std::vector<Decided>& decided, const certificate::Checkpoint& whole) {
  Value list = Value::array();
  for (const Decided& one : decided) list.push_back(one_to_json(one, whole));
  return list;
}

std::optional<std::vector<Decided>> decided_from_json(const json::Value& value,
                                                      const certificate::Checkpoint& whole) {
  try {
    std::vector<Decided> list;
    for (const Value& one : value) list.push_back(one_from_json(one, whole));
    return list;
  } catch (const std::exception&) {
    return std::nullopt;  // a file somebody made up: every access above says what it needs
  } catch (const exact::Rejected&) {
    return std::nullopt;  // what is stated is not of the certificate's form
  }
}

}  // namespace sinkproof::certify
