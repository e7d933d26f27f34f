#include "estimate/widen.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace sinkproof::estimate {
namespace {

using safetensors::Dtype;

// `value` of each word, and whether none has all bits of `exponent`, as NaNs and infinities do.
// (Loops the compiler turns into vectors: no branch, one word after the other.)
template <typename Word, typename Value>
bool widen_words(const char* bytes, std::size_t count, Word exponent, Value value, double* values) {
  Word beyond = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Word word = 0;
    std::memcpy(&word, bytes + i * sizeof(Word), sizeof(Word));
    beyond |= static_cast<Word>((word & exponent) == exponent);
    values[i] = value(word);
  }
  return beyond == 0;
}

double from_half(std::uint16_t word) {
  // The exponents' biases differ by 1008; a subnormal's, too, as exponent 0 means 1 in both.
  constexpr double kBias = 0x1p1008;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(word & 0x7FFFU) << 42U;
  const std::uint64_t sign = static_cast<std::uint64_t>(word & 0x8000U) << 48U;
  return std::bit_cast<double>(magnitude | sign) * kBias;
}

}  // namespace

bool widen(const safetensors::View& tensor, std::size_t first, std::size_t count, double* values) {
  const char* const bytes = tensor.bytes.data();
  switch (tensor.dtype) {
    case Dtype::kF64:
      return widen_words<std::uint64_t>(
          bytes + 8 * first, count, 0x7FF0'0000'0000'0000U,
          [](std::uint64_t word) { return std::bit_cast<double>(word); }, values);
    case Dtype::kF32:
      return widen_words<std::uint32_t>(
          bytes + 4 * first, count, 0x7F80'0000U,
          [](std::uint32_t word) { return static_cast<double>(std::bit_cast<float>(word)); },
          values);
    case Dtype::kF16:
      return widen_words<std::uint16_t>(bytes + 2 * first, count, 0x7C00U, from_half, values);
    case Dtype::kBF16:
      return widen_words<std::uint16_t>(
          bytes + 2 * first, count, 0x7F80U,
          [](std::uint16_t word) {
            return static_cast<double>(
                std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16U));
          },
          values);
    case Dtype::kOther:
      break;
  }
  return false;
}

}  // namespace sinkproof::estimate
