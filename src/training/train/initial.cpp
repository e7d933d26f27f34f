#include "train/initial.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "rounded/double.hpp"
#include "safetensors/safetensors.hpp"
#include "train/parameters.hpp"

namespace sinkproof::train {
namespace {

exact::Result<std::vector<float>> floats(const safetensors::Tensor& tensor,
                                         const std::string& place) {
  const auto values = safetensors::exact_values(tensor, place);
  if (!values) return tl::unexpected(values.error());
  std::vector<float> rounded;
  for (const exact::Rational& value : *values) {
    rounded.push_back(static_cast<float>(rounded::to_double_estimate(value)));
    if (!std::isfinite(rounded.back())) {
      return exact::fail("SP1008", place, "has a value beyond the range of float32");
    }
  }
  return rounded;
}

}  // namespace

exact::Result<Initial> read_initial(const std::filesystem::path& path, const Shape& shape) {
  const auto bytes = file::read(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto contents = safetensors::parse(*bytes, path.string());
  if (!contents) return tl::unexpected(contents.error());
  if (const auto scale = contents->metadata.find("scale");
      scale != contents->metadata.end() && scale->second != "1") {
    return exact::fail(
        "SP1008", path.string() + ": metadata scale",
        "must be 1, because models are trained with unscaled logits; fold the scale into W_Q");
  }
  Initial initial{certificate::sha256_hex(*bytes), {}};
  for (const Parameter& parameter : parameters(shape)) {
    const std::string place = path.string() + ": " + parameter.name;
    const auto found = contents->tensors.find(parameter.name);
    if (found == contents->tensors.end() || found->second.shape != parameter.tensor_shape()) {
      return exact::fail("SP1008", place,
                         fmt::format("must have the shape [{}] in the model to train; give the "
                                     "shape options as in the checkpoint",
                                     fmt::join(parameter.tensor_shape(), ", ")));
    }
    auto values = floats(found->second, place);
    if (!values) return tl::unexpected(values.error());
    initial.tensors[parameter.name] = std::move(*values);
  }
  if (contents->tensors.size() != initial.tensors.size()) {
    return exact::fail("SP1008", path.string(),
                       "has tensors that the model to train does not have; give the shape options "
                       "as in the checkpoint");
  }
  return initial;
}

}  // namespace sinkproof::train
