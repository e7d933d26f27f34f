#include "certificate/claim_hash.hpp"

#include <string_view>
#include <system_error>

#include "certificate/sha256.hpp"
#include "certificate/strict.hpp"
#include "file/file.hpp"

namespace sinkproof::certificate {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

// A claim's folder holds text written by people; these bounds are far above any.
constexpr std::size_t kMaxClaimFiles = 1000;
constexpr std::size_t kMaxClaimFileBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxClaimBytes = std::size_t{256} << 20U;

// What explains a claim, and what coqc leaves behind.
bool is_left_out(const std::string& name) {
  if (name == "README.md" || name == ".lia.cache" || name == ".nia.cache") return true;
  if (name.ends_with(".aux")) return name.starts_with(".");
  return name.ends_with(".vo") || name.ends_with(".vok") || name.ends_with(".vos") ||
         name.ends_with(".glob");
}

Files read_files(const fs::path& folder) {
  constexpr int max_depth = 8;
  const auto demand = [](bool condition, const fs::path& path, const std::string& what) {
    require(condition, path.string(), what, "SP0501");
  };
  const fs::path own = folder.has_filename() ? folder : folder.parent_path();
  std::error_code error;
  demand(fs::symlink_status(own, error).type() == fs::file_type::directory, folder,
         "not a folder, or a link to one");
  Files files;
  std::size_t left = kMaxClaimBytes;
  for (fs::recursive_directory_iterator entry(own, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    const std::string name = path.filename().string();
    const fs::file_type type = fs::symlink_status(path, error).type();
    if (error) break;
    const bool is_file = type == fs::file_type::regular;
    demand(is_file || type == fs::file_type::directory, path,
           "neither a regular file nor a folder");
    if (is_file && is_left_out(name)) continue;
    demand(is_plain_name(name), path, "rename it within [A-Za-z0-9._-]");
    demand(is_file || entry.depth() < max_depth, path, "folders nested too deeply");
    if (!is_file) continue;
    demand(files.size() < kMaxClaimFiles, path, "too many files in one claim");
    std::string bytes = value_of(file::read(path, kMaxClaimFileBytes));
    demand(bytes.size() <= left, path, "too many bytes in one claim");
    left -= bytes.size();
    files.emplace(path.lexically_relative(own).generic_string(), std::move(bytes));
  }
  demand(!error, folder, "cannot list the folder: " + error.message());
  demand(!files.empty(), folder, "the claim's folder is empty");
  return files;
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return name.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
             "0123456789._-") == std::string_view::npos;
}

exact::Result<Files> claim_files(const fs::path& folder) {
  return result_of([&] { return read_files(folder); });
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
  return claim_files(folder).map([](const Files& files) { return claim_hash(files); });
}

}  // namespace sinkproof::certificate
