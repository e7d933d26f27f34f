// Rational bounds of exp and of the kernels of attention. CHECKPOINT_RULES.md, 4.4.
#pragma once

#include "certificate/attention.hpp"
#include "exact/rational.hpp"

namespace sinkproof::check {

exact::Rational exp_down(const exact::Rational& x);
// Throws Rejected for x > 4096.
exact::Rational exp_up(const exact::Rational& x);

// kernel_down(x) <= kernel(x) <= kernel_up(x). Throws Rejected where the format has no such number:
// the upper exp at x > 4096, the lower sigmoid at x < -4096.
exact::Rational kernel_down(certificate::Kernel kernel, const exact::Rational& x);
exact::Rational kernel_up(certificate::Kernel kernel, const exact::Rational& x);

}  // namespace sinkproof::check
