// CHECKPOINT_RULES.md section 4.14.
#include "check/hints.hpp"
#include "check/rejected.hpp"
#include "check/relu_product.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {

using exact::Rational;

void rule_relu_bos_ceiling(const Head& head, Rows rows, const Rational& upper,
                           const json::Value& proof) {
  keys(proof, {"rule"}, "proof");
  const std::size_t query = rows == Rows::kTrigger ? kTriggerFlag : head.content_flag();
  const int divisor = rows == Rows::kPre ? 1 : rows == Rows::kTrigger ? 2 : 3;
  require(upper >= bos_score(head, query) / divisor, "proof", "BOS attention may be larger");
}

}  // namespace sinkproof::check
