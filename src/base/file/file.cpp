#include "file/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sinkproof::file {
namespace {

// A regular file, open. Its functions throw Rejected: SP0201.
class Input {
 public:
  explicit Input(const std::filesystem::path& path)
      : Input(path.string(), ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status = {};
    demand(number_ >= 0, "cannot open");
    demand(::fstat(number_, &status) == 0, "cannot open");
    exact::require(S_ISREG(status.st_mode), path_, "is not a regular file; name a file", "SP0201");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  // The number of bytes read: the next `most`, or fewer at the end.
  std::size_t read(char* to, std::size_t most) const {
    std::size_t done = 0;
    while (done < most) {
      const ssize_t count = ::read(number_, to + done, most - done);
      demand(count >= 0 || errno == EINTR, "cannot read");
      if (count == 0) break;
      done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return done;
  }

  [[nodiscard]] std::string_view map() const {
    if (size_ == 0) return {};
    void* start = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, number_, 0);
    demand(start != MAP_FAILED, "cannot map");
    return {static_cast<const char*>(start), size_};
  }

 private:
  Input(std::string path, int number) : path_(std::move(path)), number_(number) {}

  void demand(bool condition, const std::string& otherwise) const {
    if (!condition) {
      throw exact::Rejected{{"SP0201", path_, otherwise + ": " + std::strerror(errno)}};
    }
  }

  std::string path_;
  int number_;
  std::uint64_t size_ = 0;
};

}  // namespace

exact::Result<std::string> read(const std::filesystem::path& path, std::uint64_t max_bytes) {
  return exact::result_of([&] {
    const Input input(path);
    exact::require(input.size() <= max_bytes, input.path(),
                   std::to_string(input.size()) + " bytes is more than the " +
                       std::to_string(max_bytes) + " this kind of file may have",
                   "SP0202");
    std::string bytes(input.size(), '\0');
    bytes.resize(input.read(bytes.data(), bytes.size()));
    return bytes;
  });
}

void refuse_pointer(std::string_view bytes, const std::string& where) {
  exact::require(
      !bytes.starts_with("version https://git-lfs.github.com/spec/"), where,
      "is a Git LFS pointer; expected the file that it stands for: run `git lfs pull` in "
      "the clone it is in",
      "SP0205");
}

exact::Result<void> for_each_block(const std::filesystem::path& path,
                                   const std::function<void(std::string_view)>& visit) {
  return exact::result_of([&] {
    const Input input(path);
    std::string block(std::size_t{1} << 20U, '\0');
    while (const std::size_t count = input.read(block.data(), block.size())) {
      visit(std::string_view(block).substr(0, count));
    }
  });
}

Mapped::Mapped(Mapped&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

Mapped::~Mapped() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

exact::Result<Mapped> map(const std::filesystem::path& path) {
  return exact::result_of([&] { return Mapped(Input(path).map()); });
}

std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace sinkproof::file
