// An affine function near a kernel of attention over a range of logits. Every kind whose weights
// are not shares is data here. MOMENT_KERNELS.md.
#pragma once

#include "certificate/attention.hpp"
#include "forward/series.hpp"

namespace sinkproof::forward {

// |kernel(x) - value - slope (x - centre)| <= error for all x of the range.
struct KernelLine {
  Word centre;
  Word value;
  Word slope;
  Word error;
};

// Precondition: the kernel is not exp.
KernelLine kernel_line(certificate::Kernel kernel, const WordRange& at);

}  // namespace sinkproof::forward
