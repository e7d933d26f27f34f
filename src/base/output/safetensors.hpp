// Safetensors files out, and tensors from and to numbers in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::output {

// The bytes of a file, tensors in name order, header padded with spaces to a multiple of 8: equal
// contents give equal bytes. Precondition: each tensor's byte count fits its shape and dtype.
std::string serialize(const safetensors::Contents& contents);
exact::Result<void> write(const std::filesystem::path& path, const safetensors::Contents& contents);

// A tensor from values; shape's product must equal values.size().
safetensors::Tensor float32_tensor(std::vector<std::uint64_t> shape,
                                   const std::vector<float>& values);
safetensors::Tensor float64_tensor(std::vector<std::uint64_t> shape,
                                   const std::vector<double>& values);
// The values of an F32 tensor. SP0404 for any other dtype.
exact::Result<std::vector<float>> float32_values(const safetensors::Tensor& tensor,
                                                 const std::string& where);

}  // namespace sinkproof::output
