#include "gate/lock.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"

namespace sinkproof::gate {
namespace {

namespace fs = std::filesystem;
using exact::Result;
using Values = std::vector<std::string>;

constexpr std::size_t kMostLockBytes = std::size_t{4} << 20U;
constexpr std::int64_t kFormat = 2;

constexpr std::string_view kHead =
    "# What sinkproof.toml asks, and of what, as somebody has read and accepted it. `sinkproof "
    "gate`\n"
    "# is red where anything differs. `sinkproof gate --update` writes this file: review its "
    "diff.\n";

tl::unexpected<exact::Error> malformed(const std::string& where, const std::string& what) {
  return exact::fail("SP1720", where, what + "; restore the file with `git checkout`");
}

Result<Values> read_values(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return Values{*text};
  const toml::array* list = node.as_array();
  if (list == nullptr) return malformed(where, "expected a string or a list of strings");
  Values values;
  for (const toml::node& each : *list) {
    const auto text = each.value_exact<std::string>();
    if (!text) return malformed(where, "expected a list of strings only");
    values.push_back(*text);
  }
  return values;
}

Result<Asked> read_asked(const toml::table& table, const std::string& where) {
  Asked asked;
  for (const auto& [key, node] : table) {
    auto values = read_values(node, where + ": \"" + std::string(key.str()) + "\"");
    if (!values) return tl::unexpected(values.error());
    asked[std::string(key.str())] = *std::move(values);
  }
  return asked;
}

Result<Lock> read_tables(const toml::table& all, const std::string& path) {
  Lock lock;
  for (const auto& [suite, items] : all) {
    if (suite == "format") continue;
    const std::string within = path + ": [" + std::string(suite.str());
    if (!items.is_table()) return malformed(within + "]", "expected tables of claims");
    for (const auto& [name, table] : *items.as_table()) {
      const std::string where = within + ".\"" + std::string(name.str()) + "\"]";
      if (!table.is_table()) return malformed(where, "expected a table");
      auto asked = read_asked(*table.as_table(), where);
      if (!asked) return tl::unexpected(asked.error());
      lock[{std::string(suite.str()), std::string(name.str())}] = *std::move(asked);
    }
  }
  return lock;
}

// A string of TOML in which no character can hide or reorder others.
std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::toml_formatter(toml::value<std::string>(text), toml::format_flags::none);
  return out.str();
}

std::string entry(const std::string& field, const Values& values) {
  const bool is_word =
      field.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  std::string text = (is_word ? field : quoted(field)) + " = ";
  if (values.size() == 1) return text + quoted(values.front()) + "\n";
  if (values.empty()) return text + "[]\n";
  text += "[\n";
  for (const std::string& value : values) text += "  " + quoted(value) + ",\n";
  return text + "]\n";
}

std::string list(const Values& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "\"" : ", \"") + value + "\"";
  return text.empty() ? "nothing" : text;
}

Values without(const Values& values, const Values& others) {
  Values rest;
  for (const std::string& value : values) {
    if (std::find(others.begin(), others.end(), value) == others.end()) rest.push_back(value);
  }
  return rest;
}

std::string change(const std::string& field, const Values& accepted, const Values& now) {
  const auto is_hash = [](const Values& values) {
    return values.size() == 1 && certificate::is_sha256_hex(values.front());
  };
  if (is_hash(accepted) && is_hash(now)) return field + " has changed";
  if (accepted.size() == 1 && now.size() == 1) {
    return fmt::format("{} is {}, accepted is {}", field, list(now), list(accepted));
  }
  return fmt::format("{} has gained {} and lost {}", field, list(without(now, accepted)),
                     list(without(accepted, now)));
}

}  // namespace

fs::path lock_path(const fs::path& config) { return fs::path(config).replace_extension(".lock"); }

Result<std::optional<Lock>> read_lock(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (!fs::exists(status)) return std::nullopt;
  if (!fs::is_regular_file(status)) return malformed(path.string(), "expected a regular file");
  const auto text = file::read(path, kMostLockBytes);
  if (!text) return tl::unexpected(text.error());
  try {
    const toml::table all = toml::parse(*text);
    if (all["format"].value_exact<std::int64_t>() != kFormat) {
      return exact::fail(
          "SP1720", path.string(),
          fmt::format(
              "has no line \"format = {}\", so another version of sinkproof wrote it; read "
              "sinkproof.toml, then make the lock again with `rm {} && sinkproof gate --update`",
              kFormat, path.filename().string()));
    }
    auto lock = read_tables(all, path.string());
    if (!lock) return tl::unexpected(lock.error());
    return *std::move(lock);
  } catch (const toml::parse_error& problem) {
    return malformed(path.string(), "it is not TOML: " + std::string(problem.description()));
  }
}

Result<void> write_lock(const fs::path& path, const Lock& lock) {
  std::string text(kHead);
  text += fmt::format("format = {}\n", kFormat);
  for (const auto& [item, asked] : lock) {
    text += fmt::format("\n[{}.{}]\n", item.suite, quoted(item.name));
    for (const auto& [field, values] : asked) text += entry(field, values);
  }
  return output::replace(path, text);
}

std::string difference(const Asked& accepted, const Asked& now) {
  std::set<std::string> fields;
  for (const Asked* asked : {&accepted, &now}) {
    for (const auto& [field, values] : *asked) fields.insert(field);
  }
  std::string text;
  for (const std::string& field : fields) {
    const auto before = accepted.find(field);
    const auto after = now.find(field);
    std::string what;
    if (after == now.end()) {
      what = field + " is gone";
    } else if (before == accepted.end()) {
      what = field + " is new";
    } else if (before->second != after->second) {
      what = change(field, before->second, after->second);
    }
    if (!what.empty()) text += (text.empty() ? "" : "; ") + what;
  }
  return text;
}

}  // namespace sinkproof::gate
