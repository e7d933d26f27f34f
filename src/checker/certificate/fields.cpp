#include "certificate/fields.hpp"

#include <algorithm>

#include "certificate/sha256.hpp"

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
  const json::Value& value = field(object, key, where);
  require(value.is_string(), where, key + " must be a string", "SP0503");
  return value.get<std::string>();
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
  const json::Value& value = field(object, key, where);
  const bool fits =
      value.is_number_integer() &&
      (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
  require(fits && least <= value.get<std::int64_t>() && value.get<std::int64_t>() <= most, where,
          key + " must be an integer from " + std::to_string(least) + " to " + std::to_string(most),
          "SP0503");
  return value.get<std::int64_t>();
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

exact::Rational short_number(const json::Value& object, const std::string& key,
                             std::size_t max_characters, const std::string& where) {
  require(text(object, key, where).size() <= max_characters, where + "." + key,
          "has more than " + std::to_string(max_characters) + " characters");
  return number(object, key, where);
}

std::string hash(const json::Value& object, const std::string& where) {
  std::string digits = text(object, "sha256", where);
  require(is_sha256_hex(digits), where + ".sha256", "not a SHA-256 in hexadecimal");
  return digits;
}

exact::Integer whole(const json::Value& value, std::size_t max_characters,
                     const std::string& where) {
  const bool fits = value.is_string() &&
                    value.get_ref<const std::string&>().size() <= max_characters &&
                    value.get_ref<const std::string&>().find('/') == std::string::npos;
  const auto number = exact::parse_rational(fits ? value.get_ref<const std::string&>() : "");
  require(number.has_value(), where,
          "must be a whole number of at most " + std::to_string(max_characters) + " characters",
          "SP0503");
  return numerator(*number);
}

std::size_t index_of(const json::Value& value, std::size_t count, const std::string& where) {
  require(value.is_number_integer() && value >= 0 && value < count, where,
          "must be an integer from 0 to " + std::to_string(count - 1), "SP0503");
  return value.get<std::size_t>();
}

void require_short(const exact::Integer& value, const std::string& where) {
  static const exact::Integer limit = pow(exact::Integer(10), 400);
  require(-limit < value && value < limit, where, "numbers of more than 400 digits");
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

exact::RationalMatrix read_tokens(const json::Value& tokens, std::size_t length, std::size_t width,
                                  exact::Integer& common, const std::string& where) {
  require(tokens.is_array() && tokens.size() == length, where, "must have L tokens");
  std::vector<exact::Rational> entries;
  for (std::size_t i = 0; i < length; ++i) {
    const std::string place = where + " token " + std::to_string(i + 1);
    for (const exact::Rational& x : rationals(tokens[i], width, place)) {
      common = lcm(common, denominator(x));
      require_short(common, place);
      require_short(numerator(x), place);
      entries.push_back(x);
    }
  }
  return {length, width, std::move(entries)};
}

}  // namespace sinkproof::certificate
