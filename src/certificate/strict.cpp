#include "certificate/strict.hpp"

#include "certificate/fields.hpp"
#include "certificate/work.hpp"

namespace sinkproof::certificate {

Rejected rejected_by(const exact::Error& error) {
  return {error, error.code == kOverBudget ? 3 : 4};
}

void require(bool condition, const std::string& where, const std::string& what) {
  if (!condition) throw Rejected{{"SP0901", where, what}};
}

void keys(const json::Value& object, const std::vector<std::string>& expected,
          const std::string& where) {
  value_of(only_keys(object, expected, where));
}

exact::Rational number(const json::Value& object, const std::string& key,
                       const std::string& where) {
  return value_of(rational_field(object, key, where));
}

std::string text(const json::Value& object, const std::string& key, const std::string& where) {
  return value_of(string_field(object, key, where));
}

std::vector<std::string> texts(const json::Value& object, const std::string& key,
                               const std::string& where) {
  return value_of(strings_field(object, key, where));
}

const json::Value& list(const json::Value& object, const std::string& key,
                        const std::string& where) {
  return *value_of(array_field(object, key, where));
}

std::size_t count(const json::Value& object, const std::string& key, std::uint64_t least,
                  std::uint64_t most, const std::string& where) {
  return static_cast<std::size_t>(value_of(integer_field(
      object, key, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most), where)));
}

}  // namespace sinkproof::certificate
