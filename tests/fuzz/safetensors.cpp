// safetensors files, with copies and as views, and every number in them.
#include "safetensors/safetensors.hpp"

#include <algorithm>
#include <cstdlib>

#include "target.hpp"

using namespace sinkproof;

namespace {

constexpr std::size_t kCompared = 64;  // elements of a tensor

// Element by element and all at once give the same numbers.
void compare_values(const safetensors::Tensor& tensor, const safetensors::View& view) {
  const auto values = safetensors::exact_values(tensor, "input");
  if (view.dtype == safetensors::Dtype::kOther) {
    fuzz::require(!values && values.error().code == "SP0404", "other dtypes are refused");
    return;
  }
  if (!values) {
    fuzz::require_complete(values.error());
    return;
  }
  for (std::size_t i = 0; i < std::min(kCompared, values->size()); ++i) {
    const auto element = safetensors::element(view, i);
    fuzz::require(element.has_value(), "a tensor of finite numbers has finite elements");
    const exact::Rational power(exact::Integer(1)
                                << static_cast<unsigned>(std::abs(element->exponent)));
    const exact::Rational significand(exact::Integer(element->significand));
    const exact::Rational value = element->exponent < 0 ? significand / power : significand * power;
    fuzz::require(value == (*values)[i], "both readings give the same number");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto contents = safetensors::parse(bytes, "input");
  const auto views = safetensors::parse_views(bytes, "input");
  fuzz::require(contents.has_value() == views.has_value(), "copies and views are read alike");
  if (!contents) {
    fuzz::require_complete(contents.error());
    return 0;
  }
  fuzz::require(contents->tensors.size() == views->tensors.size(), "both have the same tensors");
  for (const auto& [name, tensor] : contents->tensors) {
    compare_values(tensor, views->tensors.at(name));
  }
  return 0;
}
