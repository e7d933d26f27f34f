#include <bit>
#include <boost/crc.hpp>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "npy/npy.hpp"

namespace sinkproof::npy {
namespace {

constexpr std::uint16_t kVersion = 20;     // of the zip format that is needed to read it
constexpr std::uint16_t kFirstDay = 0x21;  // 1 January 1980

// A field of so many bytes, little-endian.
struct Field {
  std::uint32_t value = 0;
  std::size_t bytes = 2;
};
constexpr Field word(std::size_t value) { return {static_cast<std::uint32_t>(value), 4}; }

std::string joined(std::initializer_list<Field> fields) {
  std::string all;
  for (const Field& field : fields) {
    for (std::size_t b = 0; b < field.bytes; ++b) {
      all += static_cast<char>(field.value >> (8 * b) & 0xFFU);
    }
  }
  return all;
}

std::string npy_bytes(const NamedArray& array) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes = float64_header(array.shape);
  const std::size_t start = bytes.size();
  bytes.resize(start + array.values.size_bytes());
  if (!array.values.empty()) {
    std::memcpy(bytes.data() + start, array.values.data(), array.values.size_bytes());
  }
  return bytes;
}

}  // namespace

std::string npz(const std::vector<NamedArray>& arrays) {
  std::string files;
  std::string directory;
  for (const NamedArray& array : arrays) {
    const std::string name = array.name + ".npy";
    const std::string bytes = npy_bytes(array);
    boost::crc_32_type crc;
    crc.process_bytes(bytes.data(), bytes.size());
    // Flags, method (stored), time, day, checksum, sizes, lengths of the name and of an extra
    // field.
    const std::string what = joined({{},
                                     {},
                                     {},
                                     {kFirstDay},
                                     word(crc.checksum()),
                                     word(bytes.size()),
                                     word(bytes.size()),
                                     {static_cast<std::uint32_t>(name.size())},
                                     {}});
    const std::size_t at = files.size();
    files += "PK\x03\x04" + joined({{kVersion}}) + what + name + bytes;
    // Length of a comment, disk, attributes within and outside, where the file begins.
    directory += "PK\x01\x02" + joined({{kVersion}, {kVersion}}) + what +
                 joined({{}, {}, {}, word(0), word(at)}) + name;
  }
  const auto count = static_cast<std::uint32_t>(arrays.size());
  const std::string end =
      joined({{}, {}, {count}, {count}, word(directory.size()), word(files.size()), {}});
  return files + directory + "PK\x05\x06" + end;
}

}  // namespace sinkproof::npy
