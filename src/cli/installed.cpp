#include "cli/installed.hpp"

#include <filesystem>
#include <system_error>

namespace sinkproof::cli {

std::string folder_or_default(const std::string& given, const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!given.empty() || fs::is_directory(name, error)) return given.empty() ? name : given;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return name;
  const fs::path prefix = program.parent_path().parent_path();
  const fs::path installed = prefix / "share" / "sinkproof" / name;
  return fs::is_directory(installed, error) ? installed.string() : name;
}

}  // namespace sinkproof::cli
