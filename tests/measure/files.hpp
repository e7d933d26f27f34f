// Small safetensors files for the tests of src/search/measure.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "measure/vectors.hpp"
#include "output/safetensors.hpp"
#include "rounded/double.hpp"

namespace sinkproof::test {

inline safetensors::Tensor tensor64(std::vector<std::uint64_t> shape,
                                    const std::vector<double>& values) {
  safetensors::Tensor tensor;
  tensor.dtype = safetensors::Dtype::kF64;
  tensor.dtype_name = "F64";
  tensor.shape = std::move(shape);
  tensor.bytes.resize(values.size() * sizeof(double));
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

inline measure::NamedFile file_of(std::map<std::string, safetensors::Tensor> tensors) {
  safetensors::Contents contents;
  contents.tensors = std::move(tensors);
  return *measure::named_file("test.safetensors", output::serialize(contents));
}

// Rows of equal length.
inline safetensors::Tensor rows64(const std::vector<std::vector<double>>& rows) {
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return tensor64({rows.size(), rows[0].size()}, values);
}

inline measure::DyadicMatrix dyadic_rows(const std::vector<std::vector<double>>& rows) {
  std::vector<exact::Rational> values;
  for (const auto& row : rows) {
    for (const double value : row) values.push_back(rounded::from_double(value));
  }
  return measure::dyadic_matrix(rows.size(), rows[0].size(), values);
}

}  // namespace sinkproof::test
