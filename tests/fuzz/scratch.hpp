// A temporary folder for readers that take a path. It is removed when the program ends.
#pragma once

#include <filesystem>
#include <string_view>

#include "output/temporary_folder.hpp"

namespace sinkproof::fuzz {

class Scratch : public output::TemporaryFolder {
 public:
  // Copies a file or folder of the repository; `to` is relative to this folder.
  void copy(std::string_view from, const std::filesystem::path& to) const;
  // Writes a file and returns its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const;
};

}  // namespace sinkproof::fuzz
