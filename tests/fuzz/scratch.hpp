// A temporary folder for readers that take a path. It is removed when the program ends.
#pragma once

#include <filesystem>
#include <string_view>

namespace sinkproof::fuzz {

class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Copies a file or folder of the repository; `to` is relative to this folder.
  void copy(std::string_view from, const std::filesystem::path& to) const;
  // Writes a file and returns its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace sinkproof::fuzz
