#include "certificate/schema.hpp"

#include <utility>

#include "certificate/sha256.hpp"

namespace sinkproof::certificate {
namespace {

using json::Value;

constexpr const char* kRoot = "certificate";

std::string name_of(const Key& key) {
  return key.name.empty() ? "entry " + std::to_string(key.index) : key.name;
}

}  // namespace

void Fields::require(bool condition, const std::string& what, const std::string& code) const {
  if (reads()) certificate::require(condition, path(), what, code);
}

void Fields::require_of(const Key& key, bool condition, const std::string& what,
                        const std::string& code) const {
  if (!condition && reads()) certificate::require(false, path_of(key), what, code);
}

void Fields::null(const Key& key, const std::string& what) {
  require_of(key, is_null(key, true), what);
}

void Fields::constant(const Key& key, const std::string& value, const std::string& code) {
  std::string found = value;
  text(key, found);
  require_of(key, found == value, "must be " + value, code);
}

void Fields::number(const Key& key, std::optional<exact::Rational>& of) {
  nullable(key, of, [](Fields& io, const Key& at, exact::Rational& x) { io.number(at, x); });
}

void Fields::short_number(const Key& key, exact::Rational& of, std::size_t max_characters) {
  std::string digits = exact::to_string(of);
  text(key, digits);
  require_of(key, digits.size() <= max_characters,
             "has more than " + std::to_string(max_characters) + " characters");
  number(key, of);
}

void Fields::texts(const Key& key, std::vector<std::string>& of) {
  list(key, of, {}, [](Fields& io, const Key& at, std::string& one) { io.text(at, one); });
}

void Fields::hash(std::string& of) {
  text("sha256", of);
  require_of("sha256", is_sha256_hex(of), "not a SHA-256 in hexadecimal");
}

void Fields::scope(std::string& of) {
  text("scope", of);
  require_of("scope", !of.empty(), "is empty", "SP0503");
}

void Fields::finish() const {
  if (!value_.is_object()) return;
  for (const auto& item : value_.items()) {
    certificate::require(seen_.contains(item.key()), path_,
                         "key \"" + item.key().substr(0, 80) + "\" is not allowed", "SP0503");
  }
}

const Value& Fields::field(const Key& key) {
  if (value_.is_array() && key.name.empty()) return value_.at(key.index);
  certificate::require(value_.is_object(), path_, "must be an object", "SP0503");
  seen_.insert(key.name);
  const auto found = value_.find(key.name);
  certificate::require(found != value_.end(), path_, "key \"" + key.name + "\" is missing",
                       "SP0503");
  return *found;
}

void Fields::require_type(bool condition, const Key& key, const std::string& what) const {
  if (!condition) certificate::require(false, path_, name_of(key) + " " + what, "SP0503");
}

std::string Fields::path_of(const Key& key) const {
  if (value_.is_array()) return path_ + "[" + std::to_string(key.index) + "]";
  return (path_ == kRoot ? "" : path_ + joint_) + key.name;
}

void Fields::text(const Key& key, std::string& of) {
  const Value& value = field(key);
  require_type(value.is_string(), key, "must be a string");
  of = value.get_ref<const std::string&>();
}

void Fields::number(const Key& key, exact::Rational& of) {
  const Value& value = field(key);
  require_type(value.is_string(), key, "must be a string");
  auto parsed = exact::parse_rational(value.get_ref<const std::string&>());
  if (!parsed) parsed.error().where = path_of(key) + ": " + parsed.error().where;
  of = value_of(std::move(parsed));
}

void Fields::integer(const Key& key, std::int64_t& of, std::int64_t least, std::int64_t most) {
  const Value& value = field(key);
  const bool fits =
      value.is_number_integer() &&
      (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
  require_type(fits && least <= value.get<std::int64_t>() && value.get<std::int64_t>() <= most, key,
               "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  of = value.get<std::int64_t>();
}

void Fields::flag(const Key& key, bool& of) {
  const Value& value = field(key);
  certificate::require(value.is_boolean(), path_of(key), "must be true or false", "SP0503");
  of = value.get<bool>();
}

void Fields::value(const Key& key, Value& of) { of = field(key); }

void Fields::texts(const Key& key, std::map<std::string, std::string>& of) {
  const Value& value = field(key);
  certificate::require(value.is_object(), path_of(key), "must be an object", "SP0503");
  Fields reader(value, path_of(key));
  for (const auto& item : value.items()) reader.text(item.key(), of[item.key()]);
}

void Fields::object(const Key& key, const Part& part) {
  const Value& value = field(key);
  certificate::require(value.is_object(), path_of(key), "must be an object", "SP0503");
  Fields reader(value, path_of(key));
  part(reader);
  reader.finish();
}

void Fields::array(const Key& key, std::size_t /*size*/, const Entries& entries,
                   const Parts& parts) {
  const Value& value = field(key);
  require_type(value.is_array(), key, "must be an array");
  if (value.size() < entries.least || entries.most < value.size()) {
    certificate::require(false, path_of(key), entries.what, entries.code);
  }
  Fields reader(value, path_of(key));
  parts(reader, value.size());
}

bool Fields::has(const std::string& key, bool /*is_there*/) { return value_.contains(key); }

bool Fields::is_null(const Key& key, bool /*is_none*/) { return field(key).is_null(); }

}  // namespace sinkproof::certificate
