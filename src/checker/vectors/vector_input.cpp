#include "vectors/vector_input.hpp"

#include <algorithm>
#include <utility>

#include "certificate/rule.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::check {
namespace {

using exact::RationalMatrix;
using safetensors::Contents;
using safetensors::Tensor;

constexpr std::uint64_t kMaxWidth = 65536;
constexpr std::uint64_t kMaxEntries = 4'194'304;
constexpr std::uint64_t kMaxProducts = std::uint64_t{1} << 31U;  // to compute a head's values

const Tensor& matrix_named(const Contents& contents, const std::string& name) {
  const auto found = contents.tensors.find(name);
  require(found != contents.tensors.end(), name, "the tensor is missing");
  require(found->second.shape.size() == 2, name, "must have two dimensions");
  return found->second;
}

// Rows first.first .. and columns .. of a tensor of shape [rows, columns].
struct Part {
  std::uint64_t first_row;
  std::uint64_t rows;
  std::uint64_t first_column;
  std::uint64_t columns;
};

exact::ScaledMatrix part_of(const Tensor& tensor, std::uint64_t width, const Part& part,
                            const std::string& name) {
  require(part.rows * part.columns <= kMaxEntries, name, "is too large");
  const std::uint64_t all =
      std::max<std::uint64_t>(1, tensor.shape.size() == 2 ? tensor.shape[0] * width : width);
  const std::uint64_t size = tensor.bytes.size() / all;  // of an element
  Tensor cut{tensor.dtype, tensor.dtype_name, {part.rows, part.columns}, {}};
  for (std::uint64_t r = part.first_row; r < part.first_row + part.rows; ++r) {
    cut.bytes += tensor.bytes.substr((r * width + part.first_column) * size, part.columns * size);
  }
  return exact::scaled(
      RationalMatrix(part.rows, part.columns, value_of(safetensors::exact_values(cut, name))));
}

exact::ScaledMatrix read_tokens(const Tensor& tensor, const std::string& name) {
  const std::uint64_t count = tensor.shape[0];
  const std::uint64_t width = tensor.shape[1];
  require(count >= 1 && count <= certificate::kMaxVectors && width >= 1 && width <= kMaxWidth, name,
          "must have 1 to 1024 rows and 1 to 65536 columns");
  return part_of(tensor, width, {0, count, 0, width}, name);
}

exact::ScaledMatrix read_bias(const Contents& contents, const std::string& name,
                              std::uint64_t total, std::uint64_t first, std::uint64_t size) {
  const auto found = contents.tensors.find(name);
  if (found == contents.tensors.end()) return {exact::IntegerMatrix(1, size), 1};
  require(found->second.shape == std::vector<std::uint64_t>{total}, name, "has another shape");
  return part_of(found->second, total, {0, 1, first, size}, name);
}

ValueHead read_head(const certificate::HeadSource& named, const exact::ScaledMatrix& tokens,
                    const FileBySha256& file) {
  const std::uint64_t width = tokens.columns();
  const auto& [hash, prefix, heads, head] = named;
  const Contents contents = value_of(safetensors::parse(file(hash), "head"));
  const Tensor& value = matrix_named(contents, prefix + "W_V.weight");
  const Tensor& output = matrix_named(contents, prefix + "W_O.weight");
  const std::uint64_t total = value.shape[0];
  const std::uint64_t outputs = output.shape[0];
  require(total >= heads && total <= kMaxWidth && total % heads == 0 && value.shape[1] == width,
          prefix + "W_V.weight", "must have the shape [num_heads * n, d]");
  require(outputs >= 1 && outputs <= kMaxWidth && output.shape[1] == total, prefix + "W_O.weight",
          "must have the shape [m, num_heads * n]");
  const std::uint64_t n = total / heads;
  require(tokens.rows() * n * (width + outputs) <= kMaxProducts, "head", "is too large");
  return {part_of(value, width, {head * n, n, 0, width}, prefix + "W_V.weight"),
          read_bias(contents, prefix + "W_V.bias", total, head * n, n),
          part_of(output, total, {0, outputs, head * n, n}, prefix + "W_O.weight")};
}

}  // namespace

VectorInput read_vector_input(const certificate::VectorSource& source, const FileBySha256& file) {
  const Contents contents = value_of(safetensors::parse(file(source.sha256), "input"));
  VectorInput result{read_tokens(matrix_named(contents, source.tensor), source.tensor), {}};
  if (source.head) result.head = read_head(*source.head, result.tokens, file);
  return result;
}

exact::ScaledMatrix vectors_of(const VectorInput& input) {
  if (!input.head) return input.tokens;
  const exact::ScaledMatrix& bias = input.head->bias;
  exact::ScaledMatrix values = product(input.tokens, transpose(input.head->value));
  for (std::size_t k = 0; k < values.rows(); ++k) {
    for (std::size_t j = 0; j < values.columns(); ++j) {
      values.entries(k, j) =
          values.entries(k, j) * bias.denominator + bias.entries(0, j) * values.denominator;
    }
  }
  values.denominator *= bias.denominator;
  return product(values, transpose(input.head->output));
}

}  // namespace sinkproof::check
