#include "certificate/fields.hpp"

#include <algorithm>

namespace sinkproof::certificate {
namespace {

exact::Result<const json::Value*> field(const json::Value& object, const std::string& name,
                                        const std::string& where) {
  if (!object.is_object()) return exact::fail("SP0503", where, "must be an object");
  const auto found = object.find(name);
  if (found == object.end()) return exact::fail("SP0503", where, "key \"" + name + "\" is missing");
  return &*found;
}

}  // namespace

exact::Result<void> only_keys(const json::Value& value, const std::vector<std::string>& keys,
                              const std::string& where) {
  if (!value.is_object()) return exact::fail("SP0503", where, "must be an object");
  for (const std::string& key : keys) {
    if (const auto present = field(value, key, where); !present) {
      return tl::unexpected(present.error());
    }
  }
  for (const auto& item : value.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
      return exact::fail("SP0503", where,
                         "key \"" + item.key().substr(0, 80) + "\" is not allowed");
    }
  }
  return {};
}

exact::Result<std::string> string_field(const json::Value& object, const std::string& name,
                                        const std::string& where) {
  const auto found = field(object, name, where);
  if (!found) return tl::unexpected(found.error());
  if (!(*found)->is_string()) return exact::fail("SP0503", where, name + " must be a string");
  return (*found)->get<std::string>();
}

exact::Result<std::int64_t> integer_field(const json::Value& object, const std::string& name,
                                          std::int64_t least, std::int64_t most,
                                          const std::string& where) {
  const auto found = field(object, name, where);
  if (!found) return tl::unexpected(found.error());
  const json::Value& value = **found;
  const auto refuse = [&] {
    return exact::fail(
        "SP0503", where,
        name + " must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  };
  if (!value.is_number_integer()) return refuse();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
    return refuse();
  }
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) return refuse();
  return number;
}

exact::Result<exact::Rational> rational_field(const json::Value& object, const std::string& name,
                                              const std::string& where) {
  const auto text = string_field(object, name, where);
  if (!text) return tl::unexpected(text.error());
  auto value = exact::parse_rational(*text);
  if (!value) value.error().where = where + ": " + name + ": " + value.error().where;
  return value;
}

exact::Result<const json::Value*> array_field(const json::Value& object, const std::string& name,
                                              const std::string& where) {
  auto found = field(object, name, where);
  if (!found) return found;
  if (!(*found)->is_array()) return exact::fail("SP0503", where, name + " must be an array");
  return found;
}

exact::Result<std::vector<std::string>> strings_field(const json::Value& object,
                                                      const std::string& name,
                                                      const std::string& where) {
  const auto array = array_field(object, name, where);
  if (!array) return tl::unexpected(array.error());
  std::vector<std::string> texts;
  for (const json::Value& element : **array) {
    if (!element.is_string()) return exact::fail("SP0503", where, name + " must hold strings only");
    texts.push_back(element.get<std::string>());
  }
  return texts;
}

}  // namespace sinkproof::certificate
