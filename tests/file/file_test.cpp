// Reading whole regular files and replacing them in one step: a failure leaves what was there, and
// nothing beside it.
#include "file/file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>

#include "output/replace.hpp"
#include "output/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

class Folder : public output::TemporaryFolder {
 public:
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(path())) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }
};

std::string content(const fs::path& path) {
  const auto bytes = file::read(path);
  REQUIRE(bytes.has_value());
  return *bytes;
}

std::string read_code(const fs::path& path, std::uint64_t most = file::kMaxBytes) {
  const auto bytes = file::read(path, most);
  return bytes ? "read" : bytes.error().code;
}

std::string replace_code(const fs::path& path, const std::string& bytes) {
  const auto done = output::replace(path, bytes);
  return done ? "replaced" : done.error().code;
}

// While alive, no file this process writes may grow beyond `bytes`: what a full disk looks like.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    struct rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  struct rlimit before_ = {};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("What was written is read back, whatever the bytes") {
  const Folder folder;
  const std::string all_bytes = [] {
    std::string text;
    for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
    return text;
  }();
  for (const std::string& bytes : {std::string(), all_bytes, std::string(3'000'000, 'x')}) {
    CHECK(replace_code(folder / "a", bytes) == "replaced");
    CHECK(content(folder / "a") == bytes);
    CHECK(folder.names() == std::set<std::string>{"a"});
  }
}

TEST_CASE("Replacing keeps no trace of a longer predecessor and gives a readable mode") {
  const Folder folder;
  REQUIRE(replace_code(folder / "a", std::string(1000, 'x')) == "replaced");
  REQUIRE(replace_code(folder / "a", "short") == "replaced");
  CHECK(content(folder / "a") == "short");
  CHECK(fs::status(folder / "a").permissions() == (fs::perms::owner_read | fs::perms::owner_write |
                                                   fs::perms::group_read | fs::perms::others_read));
}

TEST_CASE("A target that cannot be replaced stays, and no temporary is left behind") {
  const Folder folder;
  fs::create_directories(folder / "target" / "inner");
  CHECK(replace_code(folder / "target", "new") == "SP0203");
  CHECK(fs::is_directory(folder / "target" / "inner"));
  CHECK(folder.names() == std::set<std::string>{"target"});
}

TEST_CASE("A disk that fills up half-way leaves the old file and no temporary") {
  const Folder folder;
  REQUIRE(replace_code(folder / "a", "old") == "replaced");
  {
    const SmallDisk disk(100);
    CHECK(replace_code(folder / "a", std::string(1000, 'x')) == "SP0203");
  }
  CHECK(content(folder / "a") == "old");
  CHECK(folder.names() == std::set<std::string>{"a"});
}

TEST_CASE("A folder that does not exist is an error, not a new folder") {
  const Folder folder;
  CHECK(replace_code(folder / "none" / "a", "x") == "SP0203");
  CHECK(folder.names().empty());
  CHECK(replace_code("", "x") == "SP0203");
}

TEST_CASE("Replacing a link replaces the link and not what it points to") {
  const Folder folder;
  REQUIRE(replace_code(folder / "far", "far") == "replaced");
  fs::create_symlink(folder / "far", folder / "near");
  CHECK(replace_code(folder / "near", "near") == "replaced");
  CHECK(content(folder / "far") == "far");
  CHECK(content(folder / "near") == "near");
  CHECK_FALSE(fs::is_symlink(folder / "near"));
}

TEST_CASE("Only regular files are read") {
  const Folder folder;
  CHECK(read_code(folder / "absent") == "SP0201");
  CHECK(read_code("") == "SP0201");
  fs::create_directories(folder / "folder");
  CHECK(read_code(folder / "folder") == "SP0201");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(read_code(folder / "pipe") == "SP0201");  // and does not wait for a writer
  CHECK(read_code("/dev/zero") == "SP0201");
  fs::create_symlink(folder / "loop", folder / "loop");
  CHECK(read_code(folder / "loop") == "SP0201");
}

TEST_CASE("A file over the limit is refused before it is read") {
  const Folder folder;
  REQUIRE(replace_code(folder / "a", "12345") == "replaced");
  CHECK(read_code(folder / "a", 5) == "read");
  CHECK(read_code(folder / "a", 4) == "SP0202");
  // A sparse file of 100 GB costs nothing to refuse.
  const int descriptor = ::open((folder / "huge").c_str(), O_CREAT | O_WRONLY, 0600);
  REQUIRE(descriptor >= 0);
  REQUIRE(::ftruncate(descriptor, 100'000'000'000) == 0);
  ::close(descriptor);
  CHECK(read_code(folder / "huge") == "SP0202");
}
