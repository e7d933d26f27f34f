#include "cli/installed.hpp"

#include <filesystem>
#include <system_error>

#include "gate/repository.hpp"

namespace sinkproof::cli {

std::string folder_or_default(const std::string& given, const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!given.empty() || fs::is_directory(name, error)) return given.empty() ? name : given;
  const auto shipped = gate::shipped_folder();
  if (!shipped || !fs::is_directory(*shipped / name, error)) return name;
  return (*shipped / name).string();
}

}  // namespace sinkproof::cli
