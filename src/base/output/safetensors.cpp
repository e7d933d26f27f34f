#include "output/safetensors.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include "json/strict.hpp"
#include "output/replace.hpp"

namespace sinkproof::output {
namespace {

using safetensors::Contents;
using safetensors::Dtype;
using safetensors::Tensor;

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::size_t kPrefix = 8;

template <typename Number>
std::string bytes_of(const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

std::string serialize(const Contents& contents) {
  json::Value header = json::Value::object();
  if (!contents.metadata.empty()) header["__metadata__"] = contents.metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : contents.tensors) {
    header[name] = {{"dtype", tensor.dtype_name},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = json::canonical(header);
  text.append((kPrefix - text.size() % kPrefix) % kPrefix, ' ');
  const std::uint64_t header_size = text.size();
  std::string bytes(kPrefix, '\0');
  std::memcpy(bytes.data(), &header_size, kPrefix);
  bytes += text;
  for (const auto& [name, tensor] : contents.tensors) bytes += tensor.bytes;
  return bytes;
}

exact::Result<void> write(const std::filesystem::path& path, const Contents& contents) {
  return replace(path, serialize(contents));
}

Tensor float32_tensor(std::vector<std::uint64_t> shape, const std::vector<float>& values) {
  return {Dtype::kF32, "F32", std::move(shape), bytes_of(values)};
}

Tensor float64_tensor(std::vector<std::uint64_t> shape, const std::vector<double>& values) {
  return {Dtype::kF64, "F64", std::move(shape), bytes_of(values)};
}

exact::Result<std::vector<float>> float32_values(const Tensor& tensor, const std::string& where) {
  if (tensor.dtype != Dtype::kF32) {
    return exact::fail("SP0404", where, "expected dtype F32, found " + tensor.dtype_name);
  }
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

}  // namespace sinkproof::output
