#include "certify/value_range.hpp"

#include "certify/proof.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;

// sup over the box of sign * v(key)_r for a key with this flag.
Rational value_reach(const Head& head, std::size_t key_flag, std::size_t r, int sign) {
  Rational reach = sign * head.value(r, key_flag);
  for (std::size_t l = 0; l < head.noise; ++l) reach += exact::abs(head.value(r, kFirstNoise + l));
  return reach;
}

// sup of -sign * target_r over all trigger positions and noise.
Rational target_reach(const Head& head, std::size_t r, int sign) {
  if (r == kBosFlag) return 0;
  if (r >= kFirstNoise && r < head.content_flag()) {
    return head.token(r, r) - sign * head.token(r, head.content_flag());
  }
  // The trigger flag's target is 1/m, the content flag's 1 - 1/m, m = 2..L-1 the keys averaged
  // over.
  const Rational most = exact::make_rational(1, 2);
  const Rational least = exact::make_rational(1, head.length - 1);
  const Rational low = r == kTriggerFlag ? least : Rational(1 - most);
  const Rational high = r == kTriggerFlag ? most : Rational(1 - least);
  return sign > 0 ? Rational(-low) : high;
}

}  // namespace

Proof bound_value_range(const Layer& layer, RowClass rows) {
  const bool averages = certificate::kind_of(layer.attention).averages();
  Rational bound = 0;
  for (std::size_t r = 0; r < layer.width(); ++r) {
    for (const int sign : {1, -1}) {
      Rational total = sign * layer.constant[r];
      for (const Head& head : layer.heads) {
        Rational reach = exact::max(sign * head.value(r, kBosFlag),
                                    value_reach(head, head.content_flag(), r, sign));
        if (rows != RowClass::kPre) {
          reach = exact::max(reach, value_reach(head, kTriggerFlag, r, sign));
        }
        total += averages ? reach : exact::max(reach, 0);
      }
      if (rows == RowClass::kTrigger) total += target_reach(layer.heads.front(), r, sign);
      bound = exact::max(bound, total);
    }
  }
  return {bound_above(bound), {{"rule", "value-range"}}};
}

}  // namespace sinkproof::certify
