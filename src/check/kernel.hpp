// The kinds of attention and the enclosures of their kernels. LAYER_RULES.md section 5.1.
#pragma once

#include <string>

#include "exact/rational.hpp"

namespace sinkproof::check {

enum class Kernel { kExp, kSigmoid, kElu1, kRelu, kLinear };

struct Attention {
  std::string name;
  Kernel kernel = Kernel::kExp;
  bool normalised = true;
  bool null_slot = false;
  bool gated = false;
  bool relative = false;  // multiplying a row's kernels (the null slot's too) changes nothing
  bool is_signed = false;
};

// Throws Rejected for a name the format does not know.
Attention attention_named(const std::string& name);

// kernel_down(x) <= kernel(x) <= kernel_up(x). Throws Rejected where the format has no such number.
exact::Rational kernel_down(Kernel kernel, const exact::Rational& x);
exact::Rational kernel_up(Kernel kernel, const exact::Rational& x);

}  // namespace sinkproof::check
