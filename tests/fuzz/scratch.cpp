#include "scratch.hpp"

#include <fstream>
#include <string>

namespace sinkproof::fuzz {

namespace fs = std::filesystem;

void Scratch::copy(std::string_view from, const fs::path& to) const {
  fs::create_directories((*this / to).parent_path());
  fs::copy(fs::path(SINKPROOF_SOURCE_DIR) / from, *this / to, fs::copy_options::recursive);
}

fs::path Scratch::write(const fs::path& name, std::string_view bytes) const {
  const fs::path path = *this / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace sinkproof::fuzz
