// CHECKPOINT_RULES.md section 4.13.
#include "check/rejected.hpp"
#include "check/relu_product.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

// Largest value of -s x_r over keys with this flag.
Rational target_reach(const Head& head, const Side& side, std::size_t flag) {
  if (head.is_noise(side.r)) return 1;
  return side.r == flag ? Rational(-side.s) : Rational(0);
}

}  // namespace

void rule_relu_trigger_range(const Head& head, const Rational& upper, const json::Value& proof) {
  keys(proof, {"coordinates", "order", "rule"}, "proof");
  const Order order = read_order(proof, head);
  const std::size_t content_flag = head.content_flag();
  for_each_side(
      proof, head, {"content", "trigger"}, [&](const Side& side, const json::Value& object) {
        const Rational phi = proved_product(head, side, kTriggerFlag, content_flag, order,
                                            object["content"], side.where + ", content") +
                             target_reach(head, side, content_flag);
        const Rational psi =
            proved_product(head, side, kTriggerFlag, kTriggerFlag, order, object["trigger"],
                           side.where + ", trigger") +
            target_reach(head, side, kTriggerFlag) +
            bos_score(head, kTriggerFlag) * exact::max(0, flag_value(head, side, kBosFlag));
        for (const Rational& share :
             {exact::make_rational(1, 2), exact::make_rational(1, head.length - 1)}) {
          require(upper >= (1 - share) * phi + share * psi, side.where, "bound too small");
        }
      });
}

}  // namespace sinkproof::check
