#include "write/write.hpp"

namespace sinkproof::write {

json::Value& Writer::field(const Key& key) {
  return key.name.empty() ? value_.at(key.index) : value_[key.name];
}

void Writer::text(const Key& key, std::string& of) { field(key) = of; }

void Writer::number(const Key& key, exact::Rational& of) { field(key) = exact::to_string(of); }

void Writer::integer(const Key& key, std::int64_t& of, std::int64_t /*least*/,
                     std::int64_t /*most*/) {
  field(key) = of < 0 ? json::Value(of) : json::Value(static_cast<std::uint64_t>(of));
}

void Writer::value(const Key& key, json::Value& of) { field(key) = of; }

void Writer::flag(const Key& key, bool& of) { field(key) = of; }

void Writer::object(const Key& key, const Part& part) {
  json::Value& value = field(key) = json::Value::object();
  Writer writer(value);
  part(writer);
}

void Writer::array(const Key& key, std::size_t size, const certificate::Entries& /*entries*/,
                   const Parts& parts) {
  json::Value& value = field(key) = json::Value::array_t(size);
  Writer writer(value);
  parts(writer, size);
}

bool Writer::is_null(const Key& key, bool is_none) {
  if (is_none) field(key) = nullptr;
  return is_none;
}

}  // namespace sinkproof::write
