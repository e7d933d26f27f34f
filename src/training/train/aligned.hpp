// Zeroed float buffers aligned for any vector, for the kernels of kernels.hpp.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <new>

namespace sinkproof::train {

class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::size_t count)
      : count_(count), floats_(hwy::AllocateAligned<float>(std::max<std::size_t>(count, 1))) {
    if (!floats_) throw std::bad_alloc();
    std::fill_n(floats_.get(), count, 0.0F);
  }
  [[nodiscard]] float* data() { return floats_.get(); }
  [[nodiscard]] const float* data() const { return floats_.get(); }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  std::size_t count_ = 0;
  hwy::AlignedFreeUniquePtr<float[]> floats_;
};

}  // namespace sinkproof::train
