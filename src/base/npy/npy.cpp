#include "npy/npy.hpp"

#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "file/file.hpp"

namespace sinkproof::npy {
namespace {

using exact::Error;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMostHeader = 4096;

// Of what a file's array has to be.
struct Wanted {
  std::string_view kinds;
  std::string_view widths;
  std::size_t most_dimensions;
  const char* numbers;
  const char* dimensions;
};
constexpr Wanted kIntegers{"iu", "1248", 2, "integers", "one or two"};
constexpr Wanted kTable{"iu", "1248", 32, "integers", "one to 32"};
constexpr Wanted kFloat64{"f", "8", 5, "float64", "one to five"};

// Reads the header, a Python literal of a dictionary, from left to right.
class Header {
 public:
  Header(std::string_view text, const std::string& where, const Wanted& wanted)
      : rest_(text), where_(where), wanted_(wanted) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error{"SP2104", where_,
                what + "; save it with numpy.save as an array of " + wanted_.numbers};
  }

  bool take(std::string_view word) {
    while (rest_.starts_with(' ') || rest_.starts_with('\n')) rest_.remove_prefix(1);
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void need(std::string_view word) {
    if (!take(word)) refuse("the header lacks " + std::string(word) + "");
  }

  std::string_view quoted() {
    need("'");
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) refuse("the header is truncated");
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return word;
  }

  std::vector<std::size_t> shape() {
    std::vector<std::size_t> extents;
    need("(");
    while (!take(")")) {
      take("");
      std::size_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extent == 0) refuse("a dimension is not a positive integer");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      extents.push_back(extent);
      if (!take(",") && !rest_.starts_with(")")) refuse("the shape is malformed");
    }
    return extents;
  }

  [[nodiscard]] bool done() {
    take("");
    return rest_.empty();
  }

 private:
  std::string_view rest_;
  const std::string& where_;
  const Wanted& wanted_;
};

struct Layout {
  char kind = 'i';  // or 'u', 'f'
  std::size_t width = 0;
  std::vector<std::size_t> shape;
};

Layout layout_of(Header header, const Wanted& wanted) {
  Layout layout;
  header.need("{");
  header.need("'descr':");
  const std::string_view type = header.quoted();
  header.need(",");
  header.need("'fortran_order':");
  if (header.take("True")) {
    header.refuse(
        "the array is stored in Fortran (column-major) order, not row-major; pass it "
        "through numpy.ascontiguousarray first");
  }
  header.need("False");
  header.need(",");
  header.need("'shape':");
  layout.shape = header.shape();
  header.take(",");
  header.need("}");
  if (!header.done()) header.refuse("the header is followed by other text");
  const bool little = type.size() == 3 && (type[0] == '<' || (type[0] == '|' && type[2] == '1'));
  if (!little || wanted.kinds.find(type[1]) == std::string_view::npos ||
      wanted.widths.find(type[2]) == std::string_view::npos) {
    header.refuse(std::string("its dtype must be little-endian ") + wanted.numbers);
  }
  layout.kind = type[1];
  layout.width = static_cast<std::size_t>(type[2] - '0');
  if (layout.shape.empty() || layout.shape.size() > wanted.most_dimensions) {
    header.refuse("it has " + std::to_string(layout.shape.size()) + " dimensions, not " +
                  wanted.dimensions);
  }
  return layout;
}

// Precondition: width bytes at `bytes`.
std::int64_t integer_at(const char* bytes, const Layout& layout) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, layout.width);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(layout.width);
  if (layout.kind == 'u') return static_cast<std::int64_t>(word);
  return static_cast<std::int64_t>(word << unused) >> unused;
}

// A file's array, its data checked against its shape.
struct Array {
  Layout layout;
  std::string_view data;
};

Array array_of(std::string_view bytes, const std::string& where, const Wanted& wanted) {
  file::refuse_pointer(bytes, where);
  const Header whole(bytes, where, wanted);
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) whole.refuse("it is not a .npy file");
  const bool wide = bytes[6] == 2;
  if ((bytes[6] != 1 && !wide) || bytes[7] != 0) whole.refuse("its version is not 1.0 or 2.0");
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + 8, wide ? 4 : 2);
  const std::size_t start = wide ? 12 : 10;
  if (size > kMostHeader || size > bytes.size() - start) whole.refuse("its header is too long");
  Layout layout = layout_of(Header(bytes.substr(start, size), where, wanted), wanted);
  const std::string_view data = bytes.substr(start + size);
  std::size_t left = data.size() / layout.width;
  for (const std::size_t extent : layout.shape) left /= extent;  // 0: they do not fit
  std::size_t count = layout.width;
  for (const std::size_t extent : layout.shape) count *= left == 0 ? 0 : extent;
  if (left != 1 || count != data.size()) whole.refuse("its shape and size disagree");
  return {std::move(layout), data};
}

Integers integers_of(std::string_view bytes, const std::string& where, const Wanted& wanted) {
  const Array array = array_of(bytes, where, wanted);
  Integers integers{array.layout.shape, {}};
  for (std::size_t at = 0; at < array.data.size(); at += array.layout.width) {
    integers.values.push_back(integer_at(array.data.data() + at, array.layout));
    if (array.layout.kind == 'u' && integers.values.back() < 0) {
      Header(bytes, where, wanted).refuse("an entry is beyond 2^63");
    }
  }
  return integers;
}

exact::Result<Integers> parsed(std::string_view bytes, const std::string& where,
                               const Wanted& wanted) {
  try {
    return integers_of(bytes, where, wanted);
  } catch (const Error& error) {
    return tl::unexpected(error);
  } catch (const exact::Rejected& rejected) {
    return tl::unexpected(rejected.error);
  }
}

}  // namespace

exact::Result<Integers> parse_integers(std::string_view bytes, const std::string& where) {
  return parsed(bytes, where, kIntegers);
}

exact::Result<Integers> parse_table(std::string_view bytes, const std::string& where) {
  return parsed(bytes, where, kTable);
}

double Float64View::operator[](std::size_t i) const {
  double value = 0;
  std::memcpy(&value, data.data() + i * sizeof(double), sizeof(double));
  return value;
}

exact::Result<Float64View> view_float64(std::string_view bytes, const std::string& where) {
  try {
    Array array = array_of(bytes, where, kFloat64);
    return Float64View{std::move(array.layout.shape), array.data};
  } catch (const Error& error) {
    return tl::unexpected(error);
  } catch (const exact::Rejected& rejected) {
    return tl::unexpected(rejected.error);
  }
}

std::string float64_header(std::span<const std::size_t> shape) {
  std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  for (const std::size_t extent : shape) text += std::to_string(extent) + ", ";
  if (shape.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  constexpr std::size_t kStart = 10;
  text.append(kAlignment - 1 - (kStart + text.size()) % kAlignment, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes +=
      {'\x01', '\x00', static_cast<char>(text.size() % 256), static_cast<char>(text.size() / 256)};
  return bytes + text;
}

}  // namespace sinkproof::npy
