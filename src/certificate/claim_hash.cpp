#include "certificate/claim_hash.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "certificate/sha256.hpp"
#include "file/file.hpp"

namespace sinkproof::certificate {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

// What explains a claim, and what coqc leaves behind.
bool is_left_out(const std::string& name) {
  if (name == "README.md" || name == ".lia.cache" || name == ".nia.cache") return true;
  if (name.ends_with(".aux")) return name.starts_with(".");
  return name.ends_with(".vo") || name.ends_with(".vok") || name.ends_with(".vos") ||
         name.ends_with(".glob");
}

exact::Result<void> collect(const fs::path& folder, const std::string& prefix, int depth,
                            Files& files) {
  const auto refuse = [&](const std::string& name, const std::string& what) {
    return exact::fail("SP0501", (folder / name).string(), what);
  };
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const fs::file_type type = fs::symlink_status(entry->path(), error).type();
    if (error) break;
    const bool is_file = type == fs::file_type::regular;
    if (!is_file && type != fs::file_type::directory) {
      return refuse(name, "neither a regular file nor a folder");
    }
    if (is_file && is_left_out(name)) continue;
    if (!is_plain_name(name)) return refuse(name, "rename it within [A-Za-z0-9._-]");
    if (!is_file) {
      if (depth == 0) return refuse(name, "folders nested too deeply");
      if (auto inner = collect(entry->path(), prefix + name + "/", depth - 1, files); !inner) {
        return inner;
      }
      continue;
    }
    if (files.size() == kMaxClaimFiles) return refuse(name, "too many files in one claim");
    auto bytes = file::read(entry->path(), kMaxClaimFileBytes);
    if (!bytes) return tl::unexpected(bytes.error());
    files.emplace(prefix + name, std::move(*bytes));
  }
  if (error) return refuse("", "cannot list the folder: " + error.message());
  return {};
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

exact::Result<Files> claim_files(const fs::path& folder) {
  constexpr int max_depth = 8;
  Files files;
  std::error_code error;
  const fs::path own = folder.has_filename() ? folder : folder.parent_path();
  if (fs::symlink_status(own, error).type() != fs::file_type::directory) {
    return exact::fail("SP0501", folder.string(), "not a folder, or a link to one");
  }
  if (auto done = collect(folder, "", max_depth, files); !done) return tl::unexpected(done.error());
  if (files.empty()) return exact::fail("SP0501", folder.string(), "the claim's folder is empty");
  return files;
}

std::string claim_hash(const Files& files) {
  std::string list;
  for (const auto& [path, bytes] : files) {
    list += path;
    list += '\0';
    list += sha256_hex(bytes);
    list += '\n';
  }
  return sha256_hex(list);
}

exact::Result<std::string> claim_hash(const fs::path& folder) {
  const auto files = claim_files(folder);
  if (!files) return tl::unexpected(files.error());
  return claim_hash(*files);
}

}  // namespace sinkproof::certificate
