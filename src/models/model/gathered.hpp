// A tensor made of another's elements: transposed, cut, padded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "safetensors/safetensors.hpp"

namespace sinkproof::model {

// The tensor of this shape whose element k is element from(k) of `source`, or 0 where that is none.
template <typename From>
safetensors::Tensor gathered(const safetensors::Tensor& source, std::vector<std::uint64_t> shape,
                             const From& from) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  std::uint64_t held = 1;
  for (const std::uint64_t extent : source.shape) held *= extent;
  const std::size_t size = held == 0 ? 0 : source.bytes.size() / held;
  safetensors::Tensor result{source.dtype, source.dtype_name, std::move(shape),
                             std::string(count * size, '\0')};
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::optional<std::uint64_t> at = from(k);
    if (at) result.bytes.replace(k * size, size, source.bytes, *at * size, size);
  }
  return result;
}

}  // namespace sinkproof::model
