// CHECKPOINT_RULES.md section 4.8.
#include "certificate/fields.hpp"
#include "check/exp_bound.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"
#include "check/softmax_keys.hpp"

namespace sinkproof::check {

using exact::Rational;

void rule_softmax_row(const Head& head, Rows rows, const Rational& upper,
                      const json::Value& proof) {
  keys(proof, {"coordinates", "order", "rule"}, "proof");
  require(rows != Rows::kTrigger, "proof", "rule softmax-row is not for trigger rows");
  const Order order = read_order(proof, head);
  const bool post = rows == Rows::kPost;
  const std::size_t content = head.content_flag();
  const Rational others(head.length - 3);
  for_each_side(proof, head, {"lambda", "tree"}, [&](const Side& side, const json::Value& object) {
    const auto texts = value_of(certificate::strings_field(object, "lambda", side.where));
    require(texts.size() == (post ? 3U : 2U), side.where, "wrong number of lambdas");
    std::vector<Rational> lambda;
    for (const std::string& one : texts) {
      lambda.push_back(value_of(exact::parse_rational(one)));
      require(lambda.back() > 0, side.where, "lambda must be positive");
    }
    const ValueTerm other_term{side, lambda[0], upper};
    const ValueTerm own_term{side, lambda[1], upper};
    std::vector<SignForm> forms = {free_key(head, content, content, &other_term),
                                   own_key(head, content, &own_term)};
    if (post) {
      const ValueTerm trigger_term{side, lambda[2], upper};
      forms.push_back(free_key(head, content, kTriggerFlag, &trigger_term));
    }
    const Rational start = flag_value(head, side, kBosFlag) - upper;
    walk_tree(forms, order, text(object, "tree", side.where), side.where,
              [&](const std::vector<Rational>& f) {
                Rational total =
                    start + others * exp_up(f[0]) / lambda[0] + exp_up(f[1]) / lambda[1];
                if (post) total += exp_up(f[2]) / lambda[2];
                require(total <= 0, side.where, "a leaf does not close");
              });
  });
}

}  // namespace sinkproof::check
