#include "file/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace sinkproof::file {
namespace {

// Closes the descriptor on every way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

std::string reason() { return std::strerror(errno); }

struct Input {
  Descriptor descriptor;
  std::uint64_t size;
};

exact::Result<Input> open_regular(const std::filesystem::path& path) {
  Descriptor input(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (input.number() < 0) return exact::fail("SP0201", path.string(), "cannot open: " + reason());
  struct stat status = {};
  if (::fstat(input.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return exact::fail("SP0201", path.string(), "not a regular file");
  }
  return Input{std::move(input), static_cast<std::uint64_t>(status.st_size)};
}

// Some of the next `most` bytes; none at the end.
exact::Result<std::size_t> read_some(const Input& input, char* to, std::size_t most,
                                     const std::filesystem::path& path) {
  while (true) {
    const ssize_t count = ::read(input.descriptor.number(), to, most);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return exact::fail("SP0201", path.string(), "cannot read: " + reason());
  }
}

}  // namespace

exact::Result<std::string> read(const std::filesystem::path& path, std::uint64_t max_bytes) {
  const auto input = open_regular(path);
  if (!input) return tl::unexpected(input.error());
  if (input->size > max_bytes) {
    return exact::fail("SP0202", path.string(),
                       std::to_string(input->size) + " bytes is more than the " +
                           std::to_string(max_bytes) + " this kind of file may have");
  }
  std::string bytes(input->size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count = read_some(*input, bytes.data() + done, bytes.size() - done, path);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) break;
    done += *count;
  }
  bytes.resize(done);
  return bytes;
}

exact::Result<void> for_each_block(const std::filesystem::path& path,
                                   const std::function<void(std::string_view)>& visit) {
  const auto input = open_regular(path);
  if (!input) return tl::unexpected(input.error());
  std::string block(std::size_t{1} << 20U, '\0');
  while (true) {
    const auto count = read_some(*input, block.data(), block.size(), path);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) return {};
    visit(std::string_view(block).substr(0, *count));
  }
}

Mapped::Mapped(Mapped&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

Mapped::~Mapped() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

exact::Result<Mapped> map(const std::filesystem::path& path) {
  const auto input = open_regular(path);
  if (!input) return tl::unexpected(input.error());
  if (input->size == 0) return Mapped({});
  void* start = ::mmap(nullptr, input->size, PROT_READ, MAP_PRIVATE, input->descriptor.number(), 0);
  if (start == MAP_FAILED) {
    return exact::fail("SP0201", path.string(), "cannot map: " + reason());
  }
  return Mapped({static_cast<const char*>(start), input->size});
}

}  // namespace sinkproof::file
