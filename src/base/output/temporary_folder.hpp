// A folder of our own outside the source tree, gone with everything in it when the object goes.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "exact/error.hpp"

namespace sinkproof::output {

class TemporaryFolder {
 public:
  // In $TMPDIR, or /tmp where that is unset or empty. Throws exact::Rejected (SP0203, exit 2) where
  // no folder can be made there: that is the user's to mend.
  TemporaryFolder() {
    const char* const given = std::getenv("TMPDIR");
    const std::filesystem::path parent = given == nullptr || *given == '\0' ? "/tmp" : given;
    std::string name = std::filesystem::absolute(parent / "sinkproof-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw exact::Rejected{
          {"SP0203", parent.string(),
           std::string("no folder for temporary files can be made there: ") + std::strerror(errno) +
               "; set TMPDIR to a folder that you may write to, such as /tmp"},
          2};
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace sinkproof::output
