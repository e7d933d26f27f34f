#include "safetensors/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "file/file.hpp"
#include "json/strict.hpp"

namespace sinkproof::safetensors {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::uint64_t kMaxHeader = std::uint64_t{1} << 24U;
constexpr std::size_t kPrefix = 8;
constexpr const char* kForm = "SP0402";
constexpr const char* kLayout = "SP0403";

using exact::require;

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

// The elements of a shape times the bytes of one, or nothing when that does not fit 64 bits.
std::optional<std::uint64_t> byte_count(const std::vector<std::uint64_t>& shape,
                                        std::uint64_t element_size) {
  std::uint64_t count = element_size;
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

std::vector<std::uint64_t> read_naturals(const json::Value& entry, const std::string& key,
                                         const std::string& where) {
  const std::string what = key + " must be a list of non-negative integers";
  require(entry[key].is_array(), where, what, kForm);
  std::vector<std::uint64_t> numbers;
  for (const json::Value& number : entry[key]) {
    require(number.is_number_unsigned(), where, what, kForm);
    numbers.push_back(number.get<std::uint64_t>());
  }
  return numbers;
}

struct Entry {
  std::string where;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  View* tensor = nullptr;  // its bytes are those from begin to end
};

// A tensor's entry in the header, and what it says of the tensor into `tensor`.
Entry read_entry(const json::Value& value, std::uint64_t data_size, const std::string& where,
                 View& tensor) {
  require(value.is_object() && value.size() == 3 && value.contains("dtype") &&
              value.contains("shape") && value.contains("data_offsets"),
          where, "a tensor's entry must hold dtype, shape and data_offsets and nothing else",
          kForm);
  require(value["dtype"].is_string(), where, "dtype must be a string", kForm);
  tensor.dtype_name = value["dtype"].get<std::string>();
  // One that is not known holds nothing that is read, and its size is not known, either.
  require(!tensor.dtype_name.empty() &&
              tensor.dtype_name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
                  std::string::npos,
          where, "dtype must be capital letters and digits", kForm);
  const DtypeRow* row = find_dtype(tensor.dtype_name);
  tensor.dtype = row == nullptr ? Dtype::kOther : row->dtype;
  tensor.shape = read_naturals(value, "shape", where);
  const std::vector<std::uint64_t> offsets = read_naturals(value, "data_offsets", where);
  require(offsets.size() == 2, where, "data_offsets must be two integers", kForm);
  Entry entry{where, offsets[0], offsets[1], &tensor};
  require(entry.begin <= entry.end && entry.end <= data_size, where,
          "data_offsets lie outside the file, which is truncated or corrupt; save the model again",
          kLayout);
  require(row == nullptr || byte_count(tensor.shape, row->size) == entry.end - entry.begin, where,
          "data_offsets do not fit the shape and dtype", kLayout);
  return entry;
}

std::map<std::string, std::string> read_metadata(const json::Value& value,
                                                 const std::string& where) {
  require(value.is_object(), where, "__metadata__ must be an object", kForm);
  std::map<std::string, std::string> metadata;
  for (const auto& [key, text] : value.items()) {
    require(text.is_string(), where, "__metadata__ must map strings to strings", kForm);
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

// The header's object, and what follows the header.
std::pair<json::Value, std::string_view> split(std::string_view bytes, const std::string& where) {
  require(bytes.size() >= kPrefix, where,
          "has " + std::to_string(bytes.size()) +
              " bytes, too few for a safetensors file; save the model again",
          "SP0401");
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), kPrefix);
  require(size <= kMaxHeader && size <= bytes.size() - kPrefix, where,
          "is not a safetensors file, or it is truncated: its first 8 bytes announce a header of " +
              std::to_string(size) + " bytes, which exceeds the file or the limit of 16 MiB",
          "SP0401");
  // Spaces may fill the header up, after its object.
  std::string_view text = bytes.substr(kPrefix, size);
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  require(text.starts_with('{') && text.ends_with('}'), where,
          "the header must be an object, with spaces behind it at most", kForm);
  auto header = json::parse_strict(text, where);
  require(header.has_value(), where, header ? "" : header.error().what, kForm);
  return {*std::move(header), bytes.substr(kPrefix + size)};
}

Views read_views(std::string_view bytes, const std::string& where) {
  const auto [header, data] = split(bytes, where);
  Views contents;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      contents.metadata = read_metadata(value, where);
    } else {
      std::string place = where;
      place.append(": ").append(name);
      entries.push_back(read_entry(value, data.size(), place, contents.tensors[name]));
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t covered = 0;
  for (const Entry& entry : entries) {
    require(entry.begin == covered, entry.where,
            "tensors overlap or leave a gap; save the model again", kLayout);
    covered = entry.end;
    entry.tensor->bytes = data.substr(entry.begin, entry.end - entry.begin);
  }
  require(covered == data.size(), where,
          "the file is truncated or has bytes after the last tensor; save the model again",
          kLayout);
  return contents;
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

}  // namespace

exact::Result<Views> parse_views(std::string_view bytes, const std::string& where) {
  return exact::result_of([&] { return read_views(bytes, where); });
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
                           " is not supported; save the model as F64, F32, F16 or BF16");
  }
  std::vector<exact::Rational> values;
  const std::uint64_t count = std::accumulate(tensor.shape.begin(), tensor.shape.end(),
                                              std::uint64_t{1}, std::multiplies{});
  values.reserve(count);
  const View view{tensor.dtype, {}, {}, tensor.bytes};
  for (std::uint64_t index = 0; index < count; ++index) {
    const auto value = element(view, index);
    if (!value) {
      return exact::fail("SP0405", where,
                         "element " + std::to_string(index) +
                             " is NaN or infinite; use a checkpoint from before training diverged");
    }
    values.push_back(exact::Rational(exact::Integer(value->significand)) *
                     exact::power_of_two(value->exponent));
  }
  return values;
}

}  // namespace sinkproof::safetensors
