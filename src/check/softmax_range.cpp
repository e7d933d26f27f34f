// CHECKPOINT_RULES.md section 4.7.
#include "check/hints.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

Rational value_reach(const Head& head, const Side& side, std::size_t flag) {
  Rational reach = flag_value(head, side, flag);
  for (std::size_t l = 0; l < head.noise; ++l) reach += exact::abs(noise_value(head, side, l));
  return reach;
}

// Largest value of -s target_r.
Rational target_reach(const Head& head, const Side& side) {
  if (head.is_noise(side.r)) return 1;
  if (side.r == kBosFlag) return 0;
  const Rational half = exact::make_rational(1, 2);
  const Rational least = exact::make_rational(1, head.length - 1);
  const Rational low = side.r == kTriggerFlag ? least : half;
  const Rational high = side.r == kTriggerFlag ? half : Rational(1 - least);
  return side.s > 0 ? Rational(-low) : high;
}

}  // namespace

void rule_softmax_range(const Head& head, Rows rows, const Rational& upper,
                        const json::Value& proof) {
  keys(proof, {"rule"}, "proof");
  for (std::size_t r = 0; r < head.width; ++r) {
    for (const int s : {1, -1}) {
      const Side side{r, s, "coordinate " + std::to_string(r)};
      Rational reach = exact::max(flag_value(head, side, kBosFlag),
                                  value_reach(head, side, head.content_flag()));
      if (rows != Rows::kPre) reach = exact::max(reach, value_reach(head, side, kTriggerFlag));
      if (rows == Rows::kTrigger) reach += target_reach(head, side);
      require(upper >= reach, side.where, "bound is below the range of the values");
    }
  }
}

}  // namespace sinkproof::check
