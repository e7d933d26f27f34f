// The safetensors file format: eight bytes of little-endian header length, a JSON header, raw
// tensors. Reading checks every bound before it touches a byte; every stored number is exact
// (dyadic). https://github.com/huggingface/safetensors describes the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "exact/rational.hpp"

namespace sinkproof::safetensors {

// The dtypes whose values sinkproof reads; a file may hold others as long as nobody asks for them.
enum class Dtype { kF64, kF32, kF16, kBF16, kOther };

template <typename Bytes>
struct TensorOf {
  Dtype dtype = Dtype::kF32;
  std::string dtype_name;            // as the header spells it: "F32"
  std::vector<std::uint64_t> shape;  // outermost first; row-major
  Bytes bytes;                       // little-endian, element after element
};
using Tensor = TensorOf<std::string>;
using View = TensorOf<std::string_view>;  // within bytes that somebody else keeps: a mapped file's

template <typename Bytes>
struct ContentsOf {
  std::map<std::string, std::string> metadata;     // the header's __metadata__
  std::map<std::string, TensorOf<Bytes>> tensors;  // by name
};
using Contents = ContentsOf<std::string>;
using Views = ContentsOf<std::string_view>;

// SP0401: shorter than its own header says, or header length over 16 MiB or over the file.
// SP0402: header is not strict JSON of the expected form. SP0403: offsets, shape and dtype
// disagree, tensors overlap or leave gaps.
exact::Result<Contents> parse(std::string_view bytes, const std::string& where);
// The same without copies: views of `bytes`.
exact::Result<Views> parse_views(std::string_view bytes, const std::string& where);
exact::Result<Contents> read(const std::filesystem::path& path);

// All elements, row-major, exactly. SP0404: a dtype other than F64, F32, F16, BF16.
// SP0405: a NaN or an infinity (its index is named).
exact::Result<std::vector<exact::Rational>> exact_values(const Tensor& tensor,
                                                         const std::string& where);

// A finite binary float: significand 2^exponent, the significand odd or 0.
struct Dyadic {
  std::int64_t significand = 0;
  int exponent = 0;
};
// Element `index`; nothing for a NaN or an infinity. Precondition: index is within the shape, and
// the dtype is not kOther.
std::optional<Dyadic> element(const View& tensor, std::size_t index);

}  // namespace sinkproof::safetensors
