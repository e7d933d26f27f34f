#include "cli/own_names.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace sinkproof::cli {

std::vector<std::string> own_names(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> all;
  std::set<std::string> taken;
  for (const std::string& path : paths) {
    const std::string own = fs::absolute(fs::path(path) / "").parent_path().filename().string();
    std::string name = own;
    for (unsigned n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}-{}", own, n);
    all.push_back(name);
  }
  return all;
}

}  // namespace sinkproof::cli
