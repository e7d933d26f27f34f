#include "forward/kernel_line.hpp"

#include <algorithm>
#include <vector>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "forward/weights.hpp"

namespace sinkproof::forward {
namespace {

using certificate::AttentionKind;
using certificate::Kernel;
using exact::Integer;

constexpr unsigned kShift = 2 * kSeriesBits - kFineBits;

// kernel - slope x at an x of these, the kernel's values being these.
Range above(const Range& value, Word slope, const Range& x) {
  return value - times(x, Range{slope, slope}, kSeriesBits);
}

// kernel - slope x where the kernel has this slope, 0 < slope < 1, at such an x in `at`.
std::vector<Range> where_parallel(Kernel kernel, Word slope, const Range& at) {
  const Integer one = unit(kFineBits);
  if (kernel == Kernel::kRelu) return {{0, 0}};
  if (kernel == Kernel::kElu1) {
    const Range x = logarithm(exact::make_rational(slope, kOne), kFineBits);
    return {above({fine(slope), fine(slope)}, slope, x)};
  }
  if (kernel != Kernel::kSigmoid) return {};
  // f' = f (1 - f): f = 1/2 -+ w, w^2 = 1/4 - slope.
  const Integer square = std::max(Integer(0), Integer(one / 4 - fine(slope)));
  const Range w = root_of({square, square}, kFineBits);
  const auto logit = [&](const Integer& end) {
    return logarithm(exact::make_rational(one / 2 + end, one / 2 - end), kFineBits);
  };
  const Range x{logit(w.lower).lower, logit(w.upper).upper};
  const Range half{one / 2, one / 2};
  std::vector<Range> found;
  if (x.lower <= at.upper && at.lower <= x.upper) found.push_back(above(half + w, slope, x));
  if (-x.upper <= at.upper && at.lower <= -x.lower) found.push_back(above(half - w, slope, -x));
  return found;
}

// That of a slope; `ends` are the kernel's values at those of the range.
KernelLine line_of(Kernel kernel, const WordRange& at, const std::vector<Range>& ends, Word slope) {
  const Range lower{fine(at.lower), fine(at.lower)};
  const Range upper{fine(at.upper), fine(at.upper)};
  Range rest = hull(above(ends[0], slope, lower), above(ends[1], slope, upper));
  if (0 < slope && slope < kOne) {
    for (const Range& one : where_parallel(kernel, slope, {lower.lower, upper.lower})) {
      rest = hull(rest, one);
    }
  }
  const Word least = down(rest.lower);
  const Word around = half_up(up(rest.upper) - least);
  const Word centre = at.lower + (at.upper - at.lower) / 2;
  const Wide product = Wide{slope} * centre;
  const Word rounding = product % kOne == 0 ? 0 : 1;
  return {centre, narrow(least + around + (product >> kSeriesBits)), slope, around + rounding};
}

}  // namespace

KernelLine kernel_line(const AttentionKind& kind, const WordRange& at, std::size_t degree) {
  const Range ends_at[] = {{fine(at.lower), fine(at.lower)}, {fine(at.upper), fine(at.upper)}};
  const std::vector<Range> ends = kernels_of(kind, {ends_at[0], ends_at[1]}, 0, kFineBits);
  const Word width = at.upper - at.lower;
  const Integer rise = (ends[1].lower - ends[0].lower) << kShift;
  const Word slope = width == 0 ? 0 : word(floor_div(rise, width));
  const KernelLine chord = line_of(kind.kernel, at, ends, slope);
  if (degree > 1) return chord;
  // What a line adds is cut off at once here: it must leave clearly less than no line does.
  const KernelLine flat = line_of(kind.kernel, at, ends, 0);
  return 4 * chord.error > 3 * flat.error ? flat : chord;
}

}  // namespace sinkproof::forward
