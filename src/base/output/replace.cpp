#include "output/replace.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "output/paths.hpp"

namespace sinkproof::output {
namespace {

// Closes the descriptor on every way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

std::string reason() { return std::strerror(errno); }

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

exact::Result<void> replace(const std::filesystem::path& path, std::string_view bytes) {
  if (auto may = check_not_read(path); !may) return may;
  std::string temporary = path.string() + ".XXXXXX";
  const auto give_up = [&](const std::string& what) {
    const std::string why = reason();
    ::unlink(temporary.c_str());
    return exact::fail("SP0203", path.string(), what + ": " + why);
  };
  {
    const Descriptor output(::mkostemp(temporary.data(), O_CLOEXEC));
    if (output.number() < 0) {
      return exact::fail("SP0203", path.string(), "cannot create a file beside it: " + reason());
    }
    if (::fchmod(output.number(), 0644) != 0) return give_up("cannot set its mode");
    if (!write_all(output.number(), bytes)) return give_up("cannot write");
    if (::fsync(output.number()) != 0) return give_up("cannot flush to disk");
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up("cannot rename into place");
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() >= 0) ::fsync(directory.number());
  return {};
}

}  // namespace sinkproof::output
