// Rational bounds of the kernels of attention. CHECKPOINT_RULES.md, 4.4.
#pragma once

#include "certificate/attention.hpp"
#include "exact/rational.hpp"

namespace sinkproof::check {

// kernel_down(x) <= kernel(x) <= kernel_up(x). Throws Rejected where the format has no such number.
exact::Rational kernel_down(certificate::Kernel kernel, const exact::Rational& x);
exact::Rational kernel_up(certificate::Kernel kernel, const exact::Rational& x);

}  // namespace sinkproof::check
