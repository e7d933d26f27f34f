#include "forward/kernel_line.hpp"

#include <algorithm>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "forward/kernel_polynomials.hpp"

namespace sinkproof::forward {
namespace {

using certificate::Kernel;
using exact::Integer;

// A kernel's value and slope at the centre, half its second derivative over the range, and its
// values there.
struct Taylor {
  Range value;
  Range slope;
  Range bend;
  Range all;
};

Taylor logistic_taylor(Word centre, const WordRange& at) {
  const Range middle = logistic({fine(centre), fine(centre)}, kFineBits);
  const Range all = logistic({fine(at.lower), fine(at.upper)}, kFineBits);
  return {middle, logistic_derivatives(middle, 1, kFineBits)[1],
          logistic_derivatives(all, 2, kFineBits)[2], all};
}

// x + 1 for x >= 0, exp(x) below: differentiable, the derivative being min(1, exp(x)).
Taylor elu1_taylor(Word centre, const WordRange& at) {
  const Integer one = unit(kFineBits);
  const auto below = [](Word x) {
    const Integer end = fine(std::min<Word>(0, x));
    return exponential({end, end}, kFineBits);
  };
  const auto value = [&](Word x) {
    return x >= 0 ? Range{fine(x) + one, fine(x) + one} : below(x);
  };
  const Integer least = at.upper < 0 ? Integer(below(at.lower).lower / 2) : Integer(0);
  const Integer most = at.lower >= 0 ? Integer(0) : Integer(below(at.upper).upper / 2 + 1);
  return {
      value(centre), below(centre), {least, most}, {value(at.lower).lower, value(at.upper).upper}};
}

// max(0, x): where the sign is open, the line between the chord and its parallel through 0.
KernelLine relu_line(Word centre, const WordRange& at) {
  if (at.upper <= 0) return {centre, 0, 0, 0};
  if (at.lower >= 0) return {centre, centre, kOne, 0};
  // The slope is rounded down: the line runs from the chord's height at the lower end.
  const Word slope = static_cast<Word>((Wide{at.upper} << kSeriesBits) / (at.upper - at.lower));
  const Word height = product_up(slope, -at.lower);  // of the chord at 0, at least
  const Word at_upper =
      at.upper - product_up(slope, at.upper) + 1;  // what is above the slope there
  const Word half = half_up(std::max(height, at_upper));
  // The kernel less slope x is 0 at 0, -slope lower <= height at the lower end and at_upper at most
  // at the upper one; it is convex, and nowhere negative.
  const Wide value = (Wide{slope} * centre) >> kSeriesBits;  // within a unit
  return {centre, narrow(value + half), slope, half + 1};
}

KernelLine smooth_line(const Taylor& of, Word centre, Word radius) {
  const Word square = product_up(radius, radius);
  const Word slope = down(of.slope.lower);
  const Word sag = -product_up(std::max<Word>(0, up(-of.bend.lower)), square);
  const Word rise = product_up(std::max<Word>(0, up(of.bend.upper)), square);
  const Word base = down(of.value.lower);
  const Word middle = sag + (rise - sag) / 2;
  const Word around = std::max(rise - middle, middle - sag);
  const Word rounding = up(of.value.upper) - base + product_up(up(of.slope.upper) - slope, radius);
  const KernelLine line{centre, base + middle, slope, narrow(Wide{around} + rounding)};
  const Word least = down(of.all.lower);
  const Word most = up(of.all.upper);
  const Word flat = half_up(most - least);
  if (flat < line.error) return {centre, least + (most - least) / 2, 0, flat};
  return line;
}

}  // namespace

KernelLine kernel_line(Kernel kernel, const WordRange& at) {
  const Word centre = at.lower + (at.upper - at.lower) / 2;
  const Word radius = std::max(at.upper - centre, centre - at.lower);
  switch (kernel) {
    case Kernel::kRelu:
      return relu_line(centre, at);
    case Kernel::kSigmoid:
      return smooth_line(logistic_taylor(centre, at), centre, radius);
    case Kernel::kElu1:
      return smooth_line(elu1_taylor(centre, at), centre, radius);
    case Kernel::kLinear:
    case Kernel::kExp:
      break;
  }
  return {centre, centre, kOne, 0};
}

}  // namespace sinkproof::forward
