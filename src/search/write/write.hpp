// Certificates as JSON, by the descriptions the checker reads them with (certificate/schema.hpp).
// Nothing is checked here: what is written is for the checker to accept.
#pragma once

#include <utility>

#include "certificate/checkpoint.hpp"
#include "certificate/schema.hpp"
#include "json/strict.hpp"

namespace sinkproof::write {

class Writer final : public certificate::Fields {
 public:
  using Key = certificate::Key;

  // `value` must outlive it.
  explicit Writer(json::Value& value) : Fields(value, ""), value_(value) {}

  [[nodiscard]] bool reads() const override { return false; }
  void text(const Key& key, std::string& of) override;
  void number(const Key& key, exact::Rational& of) override;
  void integer(const Key& key, std::int64_t& of, std::int64_t least, std::int64_t most) override;
  void flag(const Key& key, bool& of) override;
  void value(const Key& key, json::Value& of) override;
  void texts(const Key& key, std::map<std::string, std::string>& of) override { field(key) = of; }
  void object(const Key& key, const Part& part) override;
  void array(const Key& key, std::size_t size, const certificate::Entries& entries,
             const Parts& parts) override;
  bool has(const std::string& /*key*/, bool is_there) override { return is_there; }
  bool is_null(const Key& key, bool is_none) override;
  using Fields::number;
  using Fields::texts;

 private:
  json::Value& field(const Key& key);

  json::Value& value_;
};

// The object whose description is describe(Fields&, T&, context..).
template <typename T, typename... Context>
json::Value written(T of, const Context&... context) {
  json::Value value = json::Value::object();
  Writer writer(value);
  describe(writer, of, context...);
  return value;
}

}  // namespace sinkproof::write
