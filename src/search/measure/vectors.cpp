#include "measure/vectors.hpp"

#include <gmp.h>

#include <algorithm>
#include <utility>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "model/foreign_file.hpp"

namespace sinkproof::measure {
namespace {

using exact::fail;
using exact::Integer;
using exact::Rational;
using exact::Result;

constexpr std::uint64_t kMaxWidth = 65536;
constexpr std::uint64_t kMaxTokenEntries = 4194304;
constexpr std::uint64_t kMaxWeightEntries = 67108864;

Integer inner_product(const exact::Matrix<Integer>& a, std::size_t i,
                      const exact::Matrix<Integer>& b, std::size_t j) {
  Integer sum = 0;
  for (std::size_t k = 0; k < a.columns(); ++k) {
    mpz_addmul(sum.backend().data(), a(i, k).backend().data(), b(j, k).backend().data());
  }
  return sum;
}

Result<const safetensors::Tensor*> find_tensor(const NamedFile& file, const std::string& name) {
  const auto found = file.contents.tensors.find(name);
  if (found == file.contents.tensors.end()) {
    return fail("SP1501", file.path + ": " + name.substr(0, 80), "is not a tensor of the file");
  }
  return &found->second;
}

// The name given, or that of the only matrix.
Result<std::string> choose_tensor(const NamedFile& file, const std::optional<std::string>& name) {
  if (name) return *name;
  std::vector<std::string> matrices;
  for (const auto& [candidate, tensor] : file.contents.tensors) {
    if (tensor.shape.size() == 2) matrices.push_back(candidate);
  }
  if (matrices.size() == 1) return matrices[0];
  constexpr std::size_t kShown = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(matrices.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + matrices[i].substr(0, 80);
  }
  if (matrices.size() > kShown) list += ", ...";
  return fail("SP1501", file.path,
              matrices.empty()
                  ? "the file has no tensor of shape [T, d]"
                  : "the file has several matrices; choose one with --tensor: " + list);
}

Result<DyadicMatrix> read_matrix(const NamedFile& file, const std::string& name,
                                 std::uint64_t max_rows, std::uint64_t max_entries) {
  const auto tensor = find_tensor(file, name);
  if (!tensor) return tl::unexpected(tensor.error());
  const auto& shape = (*tensor)->shape;
  const std::string place = file.path + ": " + name.substr(0, 80);
  const bool fits = shape.size() == 2 && shape[0] >= 1 && shape[0] <= max_rows && shape[1] >= 1 &&
                    shape[1] <= kMaxWidth && shape[0] * shape[1] <= max_entries;
  if (!fits) {
    return fail("SP1502", place,
                "shape " + model::shape_text(shape) + ", but a matrix of 1 to " +
                    std::to_string(max_rows) + " rows, 1 to " + std::to_string(kMaxWidth) +
                    " columns and at most " + std::to_string(max_entries) + " entries is needed");
  }
  const auto values = safetensors::exact_values(**tensor, place);
  if (!values) return tl::unexpected(values.error());
  return dyadic_matrix(shape[0], shape[1], *values);
}

Result<DyadicMatrix> read_bias(const NamedFile& file, const std::string& name, std::size_t size) {
  if (!file.contents.tensors.contains(name)) {
    return DyadicMatrix{exact::Matrix<Integer>(1, size), 0};
  }
  const auto tensor = find_tensor(file, name);
  if (!tensor) return tl::unexpected(tensor.error());
  const std::string place = file.path + ": " + name;
  if ((*tensor)->shape != std::vector<std::uint64_t>{size}) {
    return fail("SP1502", place,
                "shape " + model::shape_text((*tensor)->shape) + " where " +
                    model::shape_text({size}) + " is needed");
  }
  const auto values = safetensors::exact_values(**tensor, place);
  if (!values) return tl::unexpected(values.error());
  return dyadic_matrix(1, size, *values);
}

DyadicMatrix block(const DyadicMatrix& whole, std::size_t row, std::size_t rows, std::size_t column,
                   std::size_t columns) {
  DyadicMatrix part{exact::Matrix<Integer>(rows, columns), whole.scale};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      part.entries(i, j) = whole.entries(row + i, column + j);
    }
  }
  return part;
}

}  // namespace

Rational DyadicMatrix::at(std::size_t row, std::size_t column) const {
  return Rational(entries(row, column)) * exact::power_of_two(-static_cast<long>(scale));
}

DyadicMatrix dyadic_matrix(std::size_t rows, std::size_t columns,
                           const std::vector<Rational>& values) {
  unsigned scale = 0;
  for (const Rational& value : values) {
    scale = std::max(scale, static_cast<unsigned>(boost::multiprecision::msb(
                                boost::multiprecision::denominator(value))));
  }
  DyadicMatrix result{exact::Matrix<Integer>(rows, columns), scale};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const Rational& value = values[i * columns + j];
      const auto bits = boost::multiprecision::msb(boost::multiprecision::denominator(value));
      result.entries(i, j) = boost::multiprecision::numerator(value) << (scale - bits);
    }
  }
  return result;
}

DyadicMatrix times_transpose(const DyadicMatrix& a, const DyadicMatrix& b) {
  DyadicMatrix product{exact::Matrix<Integer>(a.rows(), b.rows()), a.scale + b.scale};
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.rows(); ++j) {
      product.entries(i, j) = inner_product(a.entries, i, b.entries, j);
    }
  }
  return product;
}

exact::RationalMatrix rationals(const DyadicMatrix& matrix) {
  exact::RationalMatrix result(matrix.rows(), matrix.columns());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) result(i, j) = matrix.at(i, j);
  }
  return result;
}

DyadicMatrix exact_gram(const DyadicMatrix& rows) {
  DyadicMatrix gram{exact::Matrix<Integer>(rows.rows(), rows.rows()), 2 * rows.scale};
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      gram.entries(i, j) = inner_product(rows.entries, i, rows.entries, j);
      gram.entries(j, i) = gram.entries(i, j);
    }
  }
  return gram;
}

exact::RationalMatrix gram_matrix(const DyadicMatrix& rows) { return rationals(exact_gram(rows)); }

Result<NamedFile> named_file(std::string path, std::string bytes) {
  auto contents = model::read_contents(bytes, path);
  if (!contents) return tl::unexpected(contents.error());
  std::string sha256 = certificate::sha256_hex(bytes);
  return NamedFile{std::move(path), std::move(bytes), std::move(sha256), std::move(*contents)};
}

Result<NamedFile> read_file(const std::string& path) {
  auto bytes = file::read(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return named_file(path, std::move(*bytes));
}

Result<Tokens> read_tokens(const NamedFile& file, const std::optional<std::string>& tensor,
                           std::size_t max_rows) {
  auto name = choose_tensor(file, tensor);
  if (!name) return tl::unexpected(name.error());
  auto rows = read_matrix(file, *name, max_rows, kMaxTokenEntries);
  if (!rows) return tl::unexpected(rows.error());
  return Tokens{std::move(*name), std::move(*rows)};
}

Result<std::string> layer_prefix(const NamedFile& file, std::size_t layer) {
  constexpr std::size_t kMaxLayer = 9999;
  const std::string prefix = "layers." + std::to_string(layer) + ".";
  if (layer <= kMaxLayer && file.contents.tensors.contains(prefix + "W_V.weight")) return prefix;
  if (layer == 0 && file.contents.tensors.contains("W_V.weight")) return std::string();
  if (auto foreign = model::foreign_names(file.contents, {}, file.path)) {
    return tl::unexpected(*foreign);
  }
  return fail("SP1504", file.path,
              "no layer " + std::to_string(layer) + ": neither " + prefix +
                  "W_V.weight nor, for layer 0, W_V.weight");
}

Result<ValueHead> read_head(const NamedFile& file, const HeadPlace& place) {
  auto prefix = layer_prefix(file, place.layer);
  if (!prefix) return tl::unexpected(prefix.error());
  if (place.num_heads < 1 || place.num_heads > kMaxHeads || place.head >= place.num_heads) {
    return fail("SP1504", file.path,
                "no head " + std::to_string(place.head) + " of " + std::to_string(place.num_heads) +
                    " (1 to " + std::to_string(kMaxHeads) + " heads, counted from 0)");
  }
  const auto value = read_matrix(file, *prefix + "W_V.weight", kMaxWidth, kMaxWeightEntries);
  if (!value) return tl::unexpected(value.error());
  const auto output = read_matrix(file, *prefix + "W_O.weight", kMaxWidth, kMaxWeightEntries);
  if (!output) return tl::unexpected(output.error());
  const std::size_t wide = value->rows();
  if (output->columns() != wide || wide % place.num_heads != 0) {
    return fail("SP1502", file.path + ": " + *prefix + "W_O.weight",
                "W_V has " + std::to_string(wide) + " rows and W_O " +
                    std::to_string(output->columns()) + " columns where both must be " +
                    std::to_string(place.num_heads) + " heads times their width");
  }
  const auto bias = read_bias(file, *prefix + "W_V.bias", wide);
  if (!bias) return tl::unexpected(bias.error());
  const std::size_t n = wide / place.num_heads;
  return ValueHead{std::move(*prefix),
                   place.num_heads,
                   place.head,
                   block(*value, n * place.head, n, 0, value->columns()),
                   block(*output, 0, output->rows(), n * place.head, n),
                   block(*bias, 0, 1, n * place.head, n)};
}

DyadicMatrix values_of(const ValueHead& head, const DyadicMatrix& tokens) {
  DyadicMatrix inner = times_transpose(tokens, head.value);  // T x n
  // Add c on a common scale.
  const unsigned scale = std::max(inner.scale, head.bias.scale);
  for (std::size_t i = 0; i < inner.rows(); ++i) {
    for (std::size_t j = 0; j < inner.columns(); ++j) {
      inner.entries(i, j) = (inner.entries(i, j) << (scale - inner.scale)) +
                            (head.bias.entries(0, j) << (scale - head.bias.scale));
    }
  }
  inner.scale = scale;
  return times_transpose(inner, head.output);
}

}  // namespace sinkproof::measure
