// Reading claim.toml and map.toml: every field is asked for by name, and whatever is wrong first
// is what finish() reports.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::claim {

// A file of at most 1 MiB. SP0601: no TOML, with the place; and the errors of file::read.
exact::Result<toml::table> read_toml(const std::filesystem::path& path);

class Fields {
 public:
  // Both live as long as the fields are read.
  Fields(const toml::table& table, std::string where) : table_(table), where_(std::move(where)) {}

  // A string that is not empty; "" when it is absent and not required.
  std::string text(const std::string& key, bool required = true);
  std::vector<std::string> texts(const std::string& key);
  // A whole number; nothing when it is absent.
  std::optional<std::int64_t> integer(const std::string& key);
  // true or false; nothing when it is absent.
  std::optional<bool> boolean(const std::string& key);
  // The table [key]; null when there is none.
  const toml::table* table(const std::string& key);
  // The tables [[key]]; null when there are none.
  const toml::array* tables(const std::string& key);

  // SP0602 naming the first field that was missing, empty or of the wrong type, or that nobody
  // asked for.
  exact::Result<void> finish();

 private:
  void note(const std::string& key, const std::string& what);

  const toml::table& table_;
  std::string where_;
  std::set<std::string> known_;
  std::string problem_;
};

}  // namespace sinkproof::claim
