#include "scratch.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace sinkproof::fuzz {

namespace fs = std::filesystem;

Scratch::Scratch()
    : path_(fs::temp_directory_path() / ("sinkproof-fuzz-" + std::to_string(getpid()))) {
  fs::remove_all(path_);  // of an earlier process with this id, which crashed
  fs::create_directory(path_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Scratch::copy(std::string_view from, const fs::path& to) const {
  fs::create_directories((path_ / to).parent_path());
  fs::copy(fs::path(SINKPROOF_SOURCE_DIR) / from, path_ / to, fs::copy_options::recursive);
}

fs::path Scratch::write(const fs::path& name, std::string_view bytes) const {
  const fs::path path = path_ / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace sinkproof::fuzz
