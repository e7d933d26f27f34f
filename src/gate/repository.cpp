#include "gate/repository.hpp"

#include <system_error>

namespace sinkproof::gate {

namespace fs = std::filesystem;

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
  return exact::fail("SP1719", "from = \"sinkproof\"",
                     "sinkproof's own proofs are not beside the program; install it whole");
}

}  // namespace sinkproof::gate
