#include "safetensors/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "file/file.hpp"
#include "json/strict.hpp"

namespace sinkproof::safetensors {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::uint64_t kMaxHeader = std::uint64_t{1} << 24U;
constexpr std::size_t kPrefix = 8;

struct DtypeRow {
  const char* name;
  Dtype dtype;
  std::uint64_t size;  // bytes an element
};

constexpr DtypeRow kDtypes[] = {
    {"F64", Dtype::kF64, 8},    {"F32", Dtype::kF32, 4},       {"F16", Dtype::kF16, 2},
    {"BF16", Dtype::kBF16, 2},  {"I64", Dtype::kOther, 8},     {"I32", Dtype::kOther, 4},
    {"I16", Dtype::kOther, 2},  {"I8", Dtype::kOther, 1},      {"U64", Dtype::kOther, 8},
    {"U32", Dtype::kOther, 4},  {"U16", Dtype::kOther, 2},     {"U8", Dtype::kOther, 1},
    {"BOOL", Dtype::kOther, 1}, {"F8_E4M3", Dtype::kOther, 1}, {"F8_E5M2", Dtype::kOther, 1},
};

const DtypeRow* find_dtype(const std::string& name) {
  const auto* row = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                 [&](const DtypeRow& candidate) { return candidate.name == name; });
  return row == std::end(kDtypes) ? nullptr : row;
}

// The product of a shape times the element size, or nothing when it does not fit 64 bits.
std::optional<std::uint64_t> byte_count(const std::vector<std::uint64_t>& shape,
                                        std::uint64_t element_size) {
  std::uint64_t count = element_size;
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

struct Entry {
  std::string name;
  View tensor;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

exact::Result<Entry> parse_entry(const std::string& name, const json::Value& value,
                                 std::uint64_t data_size, const std::string& where) {
  const std::string place = where + ": " + name;
  const auto malformed = [&](const std::string& what) {
    return exact::fail("SP0402", place, what);
  };
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets")) {
    return malformed("a tensor's entry must hold dtype, shape and data_offsets and nothing else");
  }
  if (!value["dtype"].is_string()) return malformed("dtype must be a string");
  Entry entry;
  entry.name = name;
  entry.tensor.dtype_name = value["dtype"].get<std::string>();
  const DtypeRow* row = find_dtype(entry.tensor.dtype_name);
  if (row == nullptr) return malformed("unknown dtype " + entry.tensor.dtype_name.substr(0, 20));
  entry.tensor.dtype = row->dtype;
  if (!value["shape"].is_array()) return malformed("shape must be an array");
  for (const json::Value& extent : value["shape"]) {
    if (!extent.is_number_unsigned()) return malformed("shape must hold non-negative integers");
    entry.tensor.shape.push_back(extent.get<std::uint64_t>());
  }
  const json::Value& offsets = value["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned()) {
    return malformed("data_offsets must be two non-negative integers");
  }
  entry.begin = offsets[0].get<std::uint64_t>();
  entry.end = offsets[1].get<std::uint64_t>();
  if (entry.begin > entry.end || entry.end > data_size) {
    return exact::fail("SP0403", place, "data_offsets lie outside the file: truncated or corrupt");
  }
  const auto expected = byte_count(entry.tensor.shape, row->size);
  if (!expected || *expected != entry.end - entry.begin) {
    return exact::fail("SP0403", place, "data_offsets do not fit the shape and dtype");
  }
  return entry;
}

exact::Result<std::map<std::string, std::string>> parse_metadata(const json::Value& value,
                                                                 const std::string& where) {
  std::map<std::string, std::string> metadata;
  if (!value.is_object()) return exact::fail("SP0402", where, "__metadata__ must be an object");
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) {
      return exact::fail("SP0402", where, "__metadata__ must map strings to strings");
    }
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

// A binary float of the given widths; nothing for NaN and infinities.
std::optional<Dyadic> dyadic(std::uint64_t bits, unsigned exponent_bits, unsigned fraction_bits) {
  const std::uint64_t exponent_mask = (std::uint64_t{1} << exponent_bits) - 1;
  const std::uint64_t exponent = (bits >> fraction_bits) & exponent_mask;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const bool negative = ((bits >> (exponent_bits + fraction_bits)) & 1U) != 0;
  if (exponent == exponent_mask) return std::nullopt;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint64_t significand =
      exponent == 0 ? fraction : fraction | (std::uint64_t{1} << fraction_bits);
  if (significand == 0) return Dyadic{};
  const int zeros = std::countr_zero(significand);
  const auto odd = static_cast<std::int64_t>(significand >> static_cast<unsigned>(zeros));
  const int scale =
      std::max(static_cast<int>(exponent), 1) - bias - static_cast<int>(fraction_bits) + zeros;
  return Dyadic{negative ? -odd : odd, scale};
}

template <typename Word>
std::uint64_t word_at(std::string_view bytes, std::size_t index) {
  Word word = 0;
  std::memcpy(&word, bytes.data() + index * sizeof(Word), sizeof(Word));
  return word;
}

std::uint64_t element_count(const Tensor& tensor) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : tensor.shape) count *= extent;
  return count;
}

}  // namespace

exact::Result<Views> parse_views(std::string_view bytes, const std::string& where) {
  if (bytes.size() < kPrefix) {
    return exact::fail("SP0401", where, "too short to be a safetensors file");
  }
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), kPrefix);
  if (header_size > kMaxHeader || header_size > bytes.size() - kPrefix) {
    return exact::fail("SP0401", where,
                       "header length " + std::to_string(header_size) +
                           " exceeds the file or the 16 MiB limit: truncated, or not safetensors");
  }
  // Spaces may fill the header up, after its object.
  std::string_view text = bytes.substr(kPrefix, header_size);
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  if (!text.starts_with('{') || !text.ends_with('}')) {
    return exact::fail("SP0402", where,
                       "the header must be an object, with spaces behind it at most");
  }
  auto header = json::parse_strict(text, where);
  if (!header) return exact::fail("SP0402", where, header.error().what);
  const std::string_view data = bytes.substr(kPrefix + header_size);

  Views contents;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header->items()) {
    if (name == "__metadata__") {
      auto metadata = parse_metadata(value, where);
      if (!metadata) return tl::unexpected(metadata.error());
      contents.metadata = std::move(*metadata);
      continue;
    }
    auto entry = parse_entry(name, value, data.size(), where);
    if (!entry) return tl::unexpected(entry.error());
    entries.push_back(std::move(*entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t covered = 0;
  for (Entry& entry : entries) {
    if (entry.begin != covered) {
      return exact::fail("SP0403", where + ": " + entry.name, "tensors overlap or leave a gap");
    }
    covered = entry.end;
    entry.tensor.bytes = data.substr(entry.begin, entry.end - entry.begin);
    contents.tensors.emplace(entry.name, std::move(entry.tensor));
  }
  if (covered != data.size()) {
    return exact::fail("SP0403", where, "bytes after the last tensor, or the file is truncated");
  }
  return contents;
}

exact::Result<Contents> parse(std::string_view bytes, const std::string& where) {
  auto views = parse_views(bytes, where);
  if (!views) return tl::unexpected(views.error());
  Contents contents{std::move(views->metadata), {}};
  for (auto& [name, view] : views->tensors) {
    contents.tensors.emplace(name, Tensor{view.dtype, std::move(view.dtype_name),
                                          std::move(view.shape), std::string(view.bytes)});
  }
  return contents;
}

std::optional<Dyadic> element(const View& tensor, std::size_t index) {
  switch (tensor.dtype) {
    case Dtype::kF64:
      return dyadic(word_at<std::uint64_t>(tensor.bytes, index), 11, 52);
    case Dtype::kF32:
      return dyadic(word_at<std::uint32_t>(tensor.bytes, index), 8, 23);
    case Dtype::kF16:
      return dyadic(word_at<std::uint16_t>(tensor.bytes, index), 5, 10);
    case Dtype::kBF16:
      return dyadic(word_at<std::uint16_t>(tensor.bytes, index), 8, 7);
    case Dtype::kOther:
      break;
  }
  return std::nullopt;
}

exact::Result<Contents> read(const std::filesystem::path& path) {
  auto bytes = file::read(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return parse(*bytes, path.string());
}

exact::Result<std::vector<exact::Rational>> exact_values(const Tensor& tensor,
                                                         const std::string& where) {
  if (tensor.dtype == Dtype::kOther) {
    return exact::fail("SP0404", where,
                       "dtype " + tensor.dtype_name +
                           " holds no weights sinkproof reads; save the "
                           "model as F64, F32, F16 or BF16");
  }
  std::vector<exact::Rational> values;
  const std::uint64_t count = element_count(tensor);
  values.reserve(count);
  const View view{tensor.dtype, {}, {}, tensor.bytes};
  for (std::uint64_t index = 0; index < count; ++index) {
    const auto value = element(view, index);
    if (!value) {
      return exact::fail("SP0405", where,
                         "element " + std::to_string(index) + " is NaN or infinite");
    }
    values.push_back(exact::Rational(exact::Integer(value->significand)) *
                     exact::power_of_two(value->exponent));
  }
  return values;
}

}  // namespace sinkproof::safetensors
