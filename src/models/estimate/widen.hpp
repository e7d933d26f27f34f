// Stored weights as doubles, a panel at a time: a matrix of a mapped file is widened where a
// product needs it, into a buffer that stays in cache.
#pragma once

#include <cstddef>

#include "safetensors/safetensors.hpp"

namespace sinkproof::estimate {

// Elements first .. first + count - 1, row-major; each is exactly a double. False: one is a NaN or
// an infinity. Precondition: they are within the shape, the dtype is not kOther.
bool widen(const safetensors::View& tensor, std::size_t first, std::size_t count, double* values);

}  // namespace sinkproof::estimate
