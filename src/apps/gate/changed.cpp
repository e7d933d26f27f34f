#include "gate/changed.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "prove/process.hpp"

namespace sinkproof::gate {
namespace {

namespace fs = std::filesystem;
using exact::fail;
using exact::Result;

constexpr prove::Limits kLimits = {120, 300, std::uint64_t{8} << 30U};  // large repositories

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Result<prove::Outcome> run_git(const std::string& git, const fs::path& folder,
                               std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {git, "--literal-pathspecs", "--no-pager",
                                       "--no-replace-objects", "-c", "core.fsmonitor=false"});
  auto outcome = prove::run_program(arguments, folder, kLimits);
  if (!outcome) return fail("SP1704", "git", outcome.error().what);
  if (!outcome->exited) return fail("SP1704", "git", "was ended by a signal");
  return outcome;
}

using Blobs = std::map<std::string, std::string>;  // the blob of each file, by its path

// The regular files at or below `path`, seen from `folder`; nothing when there is anything else,
// such as a link: that may show something git does not compare.
std::optional<std::vector<std::string>> files_at(const fs::path& path, const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_regular_file(fs::symlink_status(path, error))) {
    return std::vector{path.lexically_relative(folder).string()};
  }
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::file_status status = entry->symlink_status(error);
    if (fs::is_directory(status)) continue;
    if (!fs::is_regular_file(status)) return std::nullopt;
    files.push_back(entry->path().lexically_relative(folder).string());
  }
  if (error) return std::nullopt;
  std::sort(files.begin(), files.end());
  return files;
}

// `git ls-tree -z`: "<mode> blob <hash>\t<path>\0" for each; nothing when there is anything but
// files, such as a submodule.
std::optional<Blobs> read_tree(const std::string& listing) {
  Blobs blobs;
  std::istringstream entries(listing);
  for (std::string entry; std::getline(entries, entry, '\0');) {
    std::istringstream words(entry.substr(0, entry.find('\t')));
    std::string mode;
    std::string type;
    std::string hash;
    words >> mode >> type >> hash;
    if (type != "blob" || (mode != "100644" && mode != "100755")) return std::nullopt;
    blobs[entry.substr(entry.find('\t') + 1)] = hash;
  }
  return blobs;
}

}  // namespace

Result<Unchanged> Unchanged::since(const std::string& base, const fs::path& folder) {
  const std::string where = "--only-changed " + base.substr(0, 80);
  if (base.empty() || base.front() == '-')
    return fail("SP1704", where, "is not a commit; give a branch, tag or commit");
  const auto git = prove::find_program("git");
  if (!git)
    return fail("SP1704", where, "git is not installed; install it, or leave --only-changed out");
  const auto found = run_git(git->string(), folder, {"merge-base", base, "HEAD"});
  if (!found) return tl::unexpected(found.error());
  const std::string commit = first_line(found->output);
  if (found->exit_status != 0 || commit.empty()) {
    const std::string said = first_line(found->errors);
    return fail(
        "SP1704", where,
        "git finds no common ancestor of it and HEAD" + (said.empty() ? "" : ": " + said) +
            "; fetch the base with its history (fetch-depth: 0), or leave --only-changed out");
  }
  return Unchanged(git->string(), folder, commit);
}

Result<bool> Unchanged::holds_for(const std::vector<fs::path>& paths,
                                  const std::vector<fs::path>& if_any) const {
  for (const fs::path& path : paths) {
    auto holds = is_unchanged(path);
    if (!holds || !*holds) return holds;
  }
  for (const fs::path& path : if_any) {
    const auto absent = was_and_is_absent(path);
    auto holds = absent && !*absent ? is_unchanged(path) : absent;
    if (!holds || !*holds) return holds;
  }
  return true;
}

Result<bool> Unchanged::was_and_is_absent(const fs::path& path) const {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  if (error || fs::symlink_status(absolute, error).type() != fs::file_type::not_found) return false;
  const std::string name = absolute.lexically_relative(folder_).string();
  if (name.starts_with("..")) return true;  // no file of this repository
  const auto before = run_git(git_, folder_, {"ls-tree", "-r", "-z", commit_, "--", name});
  if (!before) return tl::unexpected(before.error());
  return before->exit_status == 0 && before->output.empty();
}

// The bytes that lie here, against the blobs of the base: neither git's index with its flags and
// times nor a filter or an attribute has a say.
Result<bool> Unchanged::has_bytes_of_base(const fs::path& path) const {
  const auto files = files_at(path, folder_);
  if (!files || files->empty()) return false;
  const std::string name = path.lexically_relative(folder_).string();
  const auto before = run_git(git_, folder_, {"ls-tree", "-r", "-z", commit_, "--", name});
  if (!before) return tl::unexpected(before.error());
  const auto blobs = read_tree(before->output);
  if (before->exit_status != 0 || !blobs || blobs->size() != files->size()) return false;
  std::vector<std::string> arguments = {"hash-object", "--no-filters", "--"};
  arguments.insert(arguments.end(), files->begin(), files->end());
  const auto now = run_git(git_, folder_, arguments);
  if (!now) return tl::unexpected(now.error());
  if (now->exit_status != 0) {
    return fail("SP1704", name, "git hash-object failed: " + first_line(now->errors));
  }
  std::istringstream hashes(now->output);
  return std::all_of(files->begin(), files->end(), [&](const std::string& file) {
    std::string hash;
    const auto blob = blobs->find(file);
    return std::getline(hashes, hash) && blob != blobs->end() && blob->second == hash;
  });
}

Result<bool> Unchanged::is_unchanged(const fs::path& path) const {
  std::error_code error;
  // "link/.." is another folder to the system than to anyone who reads names.
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  if (error || fs::canonical(path, error) != absolute || error) return false;
  const std::string name = absolute.string();
  const auto tracked = run_git(git_, folder_, {"ls-files", "--error-unmatch", "--", name});
  if (!tracked) return tl::unexpected(tracked.error());
  if (tracked->exit_status != 0) return false;
  // Without --exclude-standard this names ignored files too.
  const auto others = run_git(git_, folder_, {"ls-files", "--others", "--", name});
  if (!others) return tl::unexpected(others.error());
  if (others->exit_status != 0 || !others->output.empty()) return false;
  return has_bytes_of_base(absolute);
}

}  // namespace sinkproof::gate
