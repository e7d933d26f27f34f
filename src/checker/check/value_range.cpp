// CHECKPOINT_RULES.md, 4.8.
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

// Largest value of -s target_r.
Rational target_reach(const Head& head, const Side& side) {
  if (head.is_noise(side.r)) {
    return head.token(side.r, side.r) - token_value(head, side, head.content_flag());
  }
  if (side.r == kBosFlag) return 0;
  const Rational half = exact::make_rational(1, 2);
  const Rational least = exact::make_rational(1, head.length - 1);
  const Rational low = side.r == kTriggerFlag ? least : half;
  const Rational high = side.r == kTriggerFlag ? half : Rational(1 - least);
  return side.s > 0 ? Rational(-low) : high;
}

}  // namespace

void rule_value_range(const Layer& layer, const certificate::Bound& bound, Obligations&) {
  if (bound.readout != certificate::Readout::kLoss) {
    const bool holds = is_floor(bound.readout) ? bound.lower <= 0 : bound.upper >= 1;
    return require(holds, "value-range", "a share may be anything from 0 to 1");
  }
  const Rows rows = *bound.rows;
  for_each_side(layer.width(), [&](const Side& side) {
    Rational total = side.s * layer.constant[side.r];
    for (const Head& head : layer.heads) {
      const Rational noise = noise_values(head, side).sum();
      Rational reach = exact::max(flag_value(head, side, kBosFlag),
                                  flag_value(head, side, head.content_flag()) + noise);
      if (rows != Rows::kPre) {
        reach = exact::max(reach, flag_value(head, side, kTriggerFlag) + noise);
      }
      if (!layer.kind.averages()) reach = exact::max(reach, 0);
      total += reach;
    }
    if (rows == Rows::kTrigger) total += target_reach(layer.heads.front(), side);
    require(bound.upper >= total, side.text(), "bound is below the range of the values");
  });
}

}  // namespace sinkproof::check
