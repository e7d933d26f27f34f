#include "gate/repository.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

namespace sinkproof::gate {

namespace fs = std::filesystem;

namespace {

// Some file systems take .GIT for .git.
bool is_git(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == ".git";
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return real.has_filename() ? real : real.parent_path();
}

// The first link on the way from the root to `path`; empty when there is none.
fs::path link_on_the_way(const fs::path& root, const fs::path& path) {
  fs::path here = root;
  std::error_code ignored;
  for (const fs::path& part : path.lexically_relative(root)) {
    here /= part;
    if (fs::is_symlink(here, ignored)) return here;
  }
  return {};
}

}  // namespace

bool is_within(const fs::path& inner, const fs::path& outer) {
  const fs::path relative = inner.lexically_relative(outer);
  return !relative.empty() && *relative.begin() != "..";
}

bool is_of_repository(const fs::path& path, const fs::path& root) {
  const fs::path relative = path.lexically_relative(root);
  return is_within(path, root) &&
         std::none_of(relative.begin(), relative.end(),
                      [](const fs::path& part) { return is_git(part.string()); });
}

exact::Result<void> check_output(const Output& output, const fs::path& root) {
  const auto refuse = [&](const std::string& what) {
    return exact::fail("SP1702", "field \"output\" of [gate], or --output",
                       what + "; name a folder of its own, such as \"sinkproof-gate\"");
  };
  const fs::path named = (without_links(output.base) / output.folder).lexically_normal();
  if (is_within(named, root)) {
    const fs::path link = link_on_the_way(root, named / "renewed");
    if (!link.empty()) return refuse(link.string() + " is a symbolic link");
  }
  const fs::path real = without_links(named);
  std::error_code ignored;
  if (fs::exists(real, ignored) && !fs::is_directory(real, ignored)) {
    return refuse(real.string() + " is not a folder");
  }
  if (real == root) return refuse(real.string() + " is the root of the repository");
  if (is_within(real, root) && !is_of_repository(real, root)) {
    return refuse(real.string() + " is in a .git folder");
  }
  for (const fs::path& kept : output.kept) {
    const fs::path taken = without_links(kept);
    if (is_within(without_links(output.config), taken)) continue;
    if (is_within(real, taken) || is_within(taken, real / "renewed")) {
      return refuse(real.string() + " would mix reports with the files of " + taken.string());
    }
  }
  return {};
}

fs::path repository_root(const fs::path& folder) {
  std::error_code error;
  fs::path start = fs::weakly_canonical(fs::absolute(folder, error), error);
  for (fs::path here = start; !error; here = here.parent_path()) {
    if (fs::exists(here / ".git", error)) return here;
    if (here == here.parent_path()) break;
  }
  return start;
}

std::string seen_from(const fs::path& root, const fs::path& path) {
  std::error_code error;
  const fs::path full = fs::weakly_canonical(fs::absolute(path, error), error);
  const fs::path relative = full.lexically_relative(root);
  if (error || relative.empty() || *relative.begin() == "..") return path.filename().string();
  return relative.generic_string();
}

exact::Result<fs::path> shipped_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path bin = program.parent_path();
    for (const fs::path& folder : {bin / ".." / "share" / "sinkproof", bin / ".." / ".."}) {
      if (fs::is_directory(folder / "proofs" / "theory", error) &&
          fs::is_directory(folder / "certificates", error)) {
        return fs::weakly_canonical(folder, error);
      }
    }
  }
  return exact::fail("SP1719", program.string(),
                     "cannot find its own proofs/ and certificates/ in ../share/sinkproof; install "
                     "sinkproof again");
}

}  // namespace sinkproof::gate
