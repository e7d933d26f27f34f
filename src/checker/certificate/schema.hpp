// How the types of a certificate are read and written. One description of each type, a function
// describe(Fields&, T&, ..), names every key once, with its type and limits. Fields takes the
// values from JSON and refuses what is not described: a missing key, another key, another type, a
// number outside its limits. Who makes certificates passes one that puts values there instead
// (write/write.hpp), so that what is written is what is read.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "certificate/strict.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

// A key of an object, or a place in an array, from 0.
struct Key {
  Key(const char* key) : name(key) {}             // NOLINT(google-explicit-constructor)
  Key(std::string key) : name(std::move(key)) {}  // NOLINT(google-explicit-constructor)
  template <std::integral Place>
  Key(Place place) : index(place) {}  // NOLINT(google-explicit-constructor)

  std::string name;  // empty: a place
  std::size_t index = 0;
};

// How many entries a list may have, and what to say of another number of them.
struct Entries {
  std::size_t least = 0;
  std::size_t most = SIZE_MAX;
  std::string what = "must be a list";
  std::string code = "SP0901";
};

// One object or array of a certificate. Throws Rejected, SP0503 where no other code is said; SP0101
// for text that is no canonical rational.
class Fields {
 public:
  using Part = std::function<void(Fields& part)>;
  using Parts = std::function<void(Fields& parts, std::size_t size)>;

  // `value` must outlive it.
  Fields(const json::Value& value, std::string path) : value_(value), path_(std::move(path)) {}
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  virtual ~Fields() = default;

  // Nothing was left out. Called when all fields of an object were read.
  void finish() const;

  // Whether values are taken from a certificate; otherwise they are put into one.
  [[nodiscard]] virtual bool reads() const { return true; }
  virtual void text(const Key& key, std::string& of);
  virtual void number(const Key& key, exact::Rational& of);  // a rational string
  virtual void integer(const Key& key, std::int64_t& of, std::int64_t least, std::int64_t most);
  virtual void flag(const Key& key, bool& of);
  virtual void value(const Key& key, json::Value& of);  // any, as it is
  // An object of texts under any names.
  virtual void texts(const Key& key, std::map<std::string, std::string>& of);
  virtual void object(const Key& key, const Part& part);
  // `size` is the one to write.
  virtual void array(const Key& key, std::size_t size, const Entries& entries, const Parts& parts);
  // Whether there is such a key: where it may be missing. `is_there` is what to write.
  virtual bool has(const std::string& key, bool is_there);
  // Whether null stands there; `is_none` is what to write.
  virtual bool is_null(const Key& key, bool is_none);

  // Where this is, for messages; or a name instead.
  [[nodiscard]] const std::string& path() const { return path_; }
  void set_path(const std::string& name) { path_ = name, joint_ = ": "; }
  [[nodiscard]] std::string path_of(const Key& key) const;

  // Throws Rejected of this place, or of what stands under `key`; where nothing is read, does not.
  void require(bool condition, const std::string& what, const std::string& code = "SP0901") const;
  void require_of(const Key& key, bool condition, const std::string& what,
                  const std::string& code = "SP0901") const;

  template <typename T>
  void count(const Key& key, T& of, std::uint64_t least, std::uint64_t most) {
    auto value = static_cast<std::int64_t>(of);
    integer(key, value, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
    of = static_cast<T>(value);
  }
  // Null, or what describe(io, key, of) says.
  template <typename T, typename Describe>
  void nullable(const Key& key, std::optional<T>& of, const Describe& describe) {
    if (is_null(key, !of)) return of.reset();
    if (!of) of.emplace();
    describe(*this, key, *of);
  }
  template <typename T, typename Describe>
  void list(const Key& key, std::vector<T>& of, const Entries& entries, const Describe& describe) {
    array(key, of.size(), entries, [&](Fields& parts, std::size_t size) {
      of.resize(size);
      for (std::size_t i = 0; i < size; ++i) describe(parts, Key(i), of[i]);
    });
  }
  // One of the names of a table of pairs (name, value).
  template <typename T, typename Table>
  void choice(const Key& key, T& of, const Table& names, const std::string& what,
              const std::string& code = "SP0901") {
    std::string name;
    for (const auto& [known, value] : names) {
      if (value == of) name = known;
    }
    text(key, name);
    bool found = false;
    for (const auto& [known, value] : names) {
      if (known != name) continue;
      of = value;
      found = true;
    }
    require_of(key, found, what, code);
  }
  // A name, and by it the alternative: each type has its own as kName.
  template <typename... Types>
  void alternative(const Key& key, std::variant<Types...>& of, const std::string& what,
                   const std::string& code = "SP0901") {
    std::string name(std::visit([](const auto& one) { return one.kName; }, of));
    text(key, name);
    if (!reads()) return;
    const bool is_known = ((name == Types::kName && (of = Types(), true)) || ...);
    require_of(key, is_known, what, code);
  }
  void null(const Key& key, const std::string& what);  // nothing but null
  void constant(const Key& key, const std::string& value,
                const std::string& code = "SP0901");                // nothing but this text
  void number(const Key& key, std::optional<exact::Rational>& of);  // or null
  void short_number(const Key& key, exact::Rational& of, std::size_t max_characters);
  void texts(const Key& key, std::vector<std::string>& of);
  // The key `sha256`: 64 hexadecimal digits.
  void hash(std::string& of);
  // The key `scope`: "all", or for which sizes; not empty.
  void scope(std::string& of);

 private:
  const json::Value& field(const Key& key);
  void require_type(bool condition, const Key& key, const std::string& what) const;

  const json::Value& value_;
  std::string path_;
  std::string joint_ = ".";
  std::set<std::string> seen_;
};

// The object `value` as a T. Throws Rejected.
template <typename T, typename... Context>
T read(const json::Value& value, const std::string& path, const Context&... context) {
  require(value.is_object(), path, "must be an object", "SP0503");
  T of;
  Fields fields(value, "");
  fields.set_path(path);
  describe(fields, of, context...);
  fields.finish();
  return of;
}

}  // namespace sinkproof::certificate
