#include "safetensors/finite.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sinkproof::safetensors {
namespace {

// Of words whose exponent is all ones in `mask`. Blocks are told at once, which compilers
// vectorise.
template <typename Word>
std::optional<std::size_t> first_all_ones(std::string_view bytes, Word mask) {
  constexpr std::size_t kBlock = 4096;
  const std::size_t count = bytes.size() / sizeof(Word);
  Word words[kBlock];
  for (std::size_t from = 0; from < count; from += kBlock) {
    const std::size_t size = std::min(kBlock, count - from);
    std::memcpy(words, bytes.data() + from * sizeof(Word), size * sizeof(Word));
    bool found = false;
    for (std::size_t i = 0; i < size; ++i) found |= (words[i] & mask) == mask;
    for (std::size_t i = 0; found && i < size; ++i) {
      if ((words[i] & mask) == mask) return from + i;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> first_not_finite(const View& tensor) {
  switch (tensor.dtype) {
    case Dtype::kF64:
      return first_all_ones<std::uint64_t>(tensor.bytes, 0x7FF0000000000000U);
    case Dtype::kF32:
      return first_all_ones<std::uint32_t>(tensor.bytes, 0x7F800000U);
    case Dtype::kF16:
      return first_all_ones<std::uint16_t>(tensor.bytes, 0x7C00U);
    case Dtype::kBF16:
      return first_all_ones<std::uint16_t>(tensor.bytes, 0x7F80U);
    case Dtype::kOther:
      break;
  }
  return std::nullopt;
}

}  // namespace sinkproof::safetensors
