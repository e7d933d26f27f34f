// An affine function near a kernel of attention over a range of logits: its slope is that between
// the kernel's values at the ends. MOMENT_KERNELS.md.
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

// For a row of that degree. Precondition: the kind is not normalised.
KernelLine kernel_line(const certificate::AttentionKind& kind, const WordRange& at,
                       std::size_t degree);

}  // namespace sinkproof::forward
