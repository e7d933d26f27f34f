// Whether a tensor's numbers are finite, told by their bits.
#pragma once

#include <optional>

#include "safetensors/safetensors.hpp"

namespace sinkproof::safetensors {

// The first element that is a NaN or an infinity. Precondition: the dtype is not kOther.
std::optional<std::size_t> first_not_finite(const View& tensor);

}  // namespace sinkproof::safetensors
