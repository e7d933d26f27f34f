#include "gate/lock.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"

namespace sinkproof::gate {
namespace {

constexpr std::size_t kMostLockBytes = std::size_t{1} << 20U;

constexpr std::string_view kHead =
    "# What the claims of sinkproof.toml say: the files they are said in, as somebody has read "
    "and\n"
    "# accepted them. `sinkproof gate` is red where they differ; `sinkproof explain ID` shows what "
    "a\n"
    "# claim says now, and `sinkproof gate --update` accepts it.\n";

exact::Result<claim::Said> read_said(const toml::table& table, const std::string& where) {
  claim::Said said;
  for (const auto& [key, node] : table) {
    const auto hash = node.value_exact<std::string>();
    if (!hash || !certificate::is_sha256_hex(*hash)) {
      return exact::fail("SP1720", where, "\"" + std::string(key.str()) + "\" is no SHA-256");
    }
    said[std::string(key.str())] = *hash;
  }
  return said;
}

}  // namespace

std::filesystem::path lock_path(const std::filesystem::path& config) {
  return std::filesystem::path(config).replace_extension(".lock");
}

exact::Result<Lock> read_lock(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return Lock{};
  const auto text = file::read(path, kMostLockBytes);
  if (!text) return tl::unexpected(text.error());
  try {
    Lock lock;
    for (const auto& [key, node] : toml::parse(*text)) {
      const toml::table* table = node.as_table();
      if (table == nullptr) {
        return exact::fail("SP1720", path.string(),
                           "\"" + std::string(key.str()) + "\" is no table of a claim");
      }
      auto said = read_said(*table, path.string() + ": [" + std::string(key.str()) + "]");
      if (!said) return tl::unexpected(said.error());
      lock[std::string(key.str())] = *std::move(said);
    }
    return lock;
  } catch (const toml::parse_error& problem) {
    return exact::fail("SP1720", path.string(), "no TOML: " + std::string(problem.description()));
  }
}

exact::Result<void> write_lock(const std::filesystem::path& path, const Lock& lock) {
  std::string text(kHead);
  for (const auto& [id, said] : lock) {
    text += "\n[" + id + "]\n";
    for (const auto& [file, hash] : said) text += fmt::format("\"{}\" = \"{}\"\n", file, hash);
  }
  return output::replace(path, text);
}

}  // namespace sinkproof::gate
