#include "certificate/fields.hpp"

#include <algorithm>

#include "certificate/schema.hpp"

namespace sinkproof::certificate {
namespace {

const json::Value& field(const json::Value& object, const std::string& key,
                         const std::string& where) {
  require(object.is_object(), where, "must be an object", "SP0503");
  const auto found = object.find(key);
  require(found != object.end(), where, "key \"" + key + "\" is missing", "SP0503");
  return *found;
}

}  // namespace

void keys(const json::Value& object, const std::vector<std::string>& expected,
          const std::string& where) {
  for (const std::string& key : expected) field(object, key, where);
  require(object.is_object(), where, "must be an object", "SP0503");
  for (const auto& item : object.items()) {
    require(std::find(expected.begin(), expected.end(), item.key()) != expected.end(), where,
            "key \"" + item.key().substr(0, 80) + "\" is not allowed", "SP0503");
  }
}

std::string text(const json::Value& object, const std::string& key, const std::string& where) {
  std::string of;
  Fields(object, where).text(key, of);
  return of;
}

std::vector<std::string> texts(const json::Value& object, const std::string& key,
                               const std::string& where) {
  std::vector<std::string> strings;
  for (const json::Value& element : list(object, key, where)) {
    require(element.is_string(), where, key + " must hold strings only", "SP0503");
    strings.push_back(element.get<std::string>());
  }
  return strings;
}

const json::Value& list(const json::Value& object, const std::string& key,
                        const std::string& where) {
  const json::Value& value = field(object, key, where);
  require(value.is_array(), where, key + " must be an array", "SP0503");
  return value;
}

std::int64_t integer(const json::Value& object, const std::string& key, std::int64_t least,
                     std::int64_t most, const std::string& where) {
  std::int64_t of = 0;
  Fields(object, where).integer(key, of, least, most);
  return of;
}

std::size_t count(const json::Value& object, const std::string& key, std::uint64_t least,
                  std::uint64_t most, const std::string& where) {
  return static_cast<std::size_t>(integer(object, key, static_cast<std::int64_t>(least),
                                          static_cast<std::int64_t>(most), where));
}

exact::Rational rational(const std::string& digits, const std::string& where) {
  auto value = exact::parse_rational(digits);
  if (!value) value.error().where = where + ": " + value.error().where;
  return value_of(std::move(value));
}

exact::Rational number(const json::Value& object, const std::string& key,
                       const std::string& where) {
  return rational(text(object, key, where), where + ": " + key);
}

std::vector<exact::Rational> rationals(const json::Value& list, std::size_t count,
                                       const std::string& where, const std::string& code) {
  require(list.is_array() && list.size() == count, where,
          "must be " + std::to_string(count) + " numbers", code);
  std::vector<exact::Rational> numbers;
  numbers.reserve(count);
  for (const json::Value& entry : list) {
    require(entry.is_string(), where, "must hold rational strings only", code);
    numbers.push_back(rational(entry.get_ref<const std::string&>(), where));
  }
  return numbers;
}

}  // namespace sinkproof::certificate
