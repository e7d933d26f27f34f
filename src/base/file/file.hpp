// Regular files: read whole, a block at a time, or mapped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::file {

// A checkpoint of a few hundred million parameters fits; a device or an endless pipe does not.
inline constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30U;

// The bytes of a regular file. SP0201: cannot be opened or read, or not a regular file.
// SP0202: larger than `max_bytes`.
exact::Result<std::string> read(const std::filesystem::path& path,
                                std::uint64_t max_bytes = kMaxBytes);

// Throws Rejected, SP0205, where these bytes are what Git LFS keeps in place of the file.
void refuse_pointer(std::string_view bytes, const std::string& where);

// What a folder holds, sorted; nothing where it cannot be read.
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

// Calls `visit` with the bytes of a regular file, a block at a time, whatever its size. SP0201 as
// above.
exact::Result<void> for_each_block(const std::filesystem::path& path,
                                   const std::function<void(std::string_view)>& visit);

// The bytes of a regular file in memory that the system reads when it is asked for, and may take
// back. Who keeps a mapping relies on nobody shortening the file.
class Mapped {
 public:
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  Mapped(Mapped&& other) noexcept;
  Mapped& operator=(Mapped&&) = delete;
  ~Mapped();
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  friend exact::Result<Mapped> map(const std::filesystem::path& path);
  explicit Mapped(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};
// SP0201 as above.
exact::Result<Mapped> map(const std::filesystem::path& path);

}  // namespace sinkproof::file
