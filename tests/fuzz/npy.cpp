// .npy files: token ids and tables of figures.
#include "npy/npy.hpp"

#include "target.hpp"

using namespace sinkproof;

namespace {

std::size_t product(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto integers = npy::parse_integers(bytes, "input.npy");
  if (integers) {
    fuzz::require(integers->values.size() == product(integers->shape) && !integers->values.empty(),
                  "there are as many integers as the shape says");
  } else {
    fuzz::require_complete(integers.error());
  }
  const auto floats = npy::view_float64(bytes, "input.npy");
  if (!floats) {
    fuzz::require_complete(floats.error());
    return 0;
  }
  fuzz::require(!integers, "no file is both integers and float64");
  const std::size_t count = product(floats->shape);
  fuzz::require(floats->data.size() == count * sizeof(double), "the view holds the shape");
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += (*floats)[i];
  volatile double kept = sum;  // so that every element is read
  static_cast<void>(kept);
  return 0;
}
