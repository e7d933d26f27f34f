#include "gate/changed.hpp"

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
  arguments.insert(arguments.begin(), {git, "--literal-pathspecs", "--no-pager"});
  auto outcome = prove::run_program(arguments, folder, kLimits);
  if (!outcome) return fail("SP1704", "git", outcome.error().what);
  if (!outcome->exited) return fail("SP1704", "git", "did not end by itself");
  return outcome;
}

// A folder with a link in it may show something git does not compare.
bool holds_link(const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error) || error) return true;
  if (!fs::is_directory(path, error)) return false;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_symlink(error)) return true;
  }
  return static_cast<bool>(error);
}

}  // namespace

Result<Unchanged> Unchanged::since(const std::string& base, const fs::path& folder) {
  const std::string where = "--only-changed " + base.substr(0, 80);
  if (base.empty() || base.front() == '-') return fail("SP1704", where, "names no commit");
  const auto git = prove::find_program("git");
  if (!git) return fail("SP1704", where, "git is not installed");
  const auto found = run_git(git->string(), folder, {"merge-base", base, "HEAD"});
  if (!found) return tl::unexpected(found.error());
  const std::string commit = first_line(found->output);
  if (found->exit_status != 0 || commit.empty()) {
    const std::string said = first_line(found->errors);
    return fail("SP1704", where,
                "git knows no common ancestor of it and HEAD" + (said.empty() ? "" : ": " + said) +
                    "; fetch the base with its history (fetch-depth: 0), or decide everything");
  }
  return Unchanged(git->string(), folder, commit);
}

Result<bool> Unchanged::holds_for(const std::vector<fs::path>& paths) const {
  for (const fs::path& path : paths) {
    const auto holds = is_unchanged(path);
    if (!holds || !*holds) return holds;
  }
  return true;
}

Result<bool> Unchanged::is_unchanged(const fs::path& path) const {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  if (error || !fs::exists(absolute, error) || holds_link(absolute)) return false;
  const std::string name = absolute.string();
  const auto tracked = run_git(git_, folder_, {"ls-files", "--error-unmatch", "--", name});
  if (!tracked) return tl::unexpected(tracked.error());
  if (tracked->exit_status != 0) return false;
  // Without --exclude-standard this names ignored files too.
  const auto others = run_git(git_, folder_, {"ls-files", "--others", "--", name});
  if (!others) return tl::unexpected(others.error());
  if (others->exit_status != 0 || !others->output.empty()) return false;
  const auto differs = run_git(git_, folder_, {"diff", "--quiet", commit_, "--", name});
  if (!differs) return tl::unexpected(differs.error());
  if (differs->exit_status > 1) {
    return fail("SP1704", name, "git diff failed: " + first_line(differs->errors));
  }
  return differs->exit_status == 0;
}

}  // namespace sinkproof::gate
