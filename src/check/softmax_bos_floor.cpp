// CHECKPOINT_RULES.md section 4.9.
#include "check/exp_bound.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"
#include "check/softmax_keys.hpp"

namespace sinkproof::check {

using exact::Rational;

void rule_softmax_bos_floor(const Head& head, Rows rows, const Rational& lower,
                            const json::Value& proof) {
  keys(proof, {"order", "rule", "tree"}, "proof");
  require(rows != Rows::kTrigger, "proof", "rule softmax-bos-floor is not for trigger rows");
  const Order order = read_order(proof, head);
  const bool post = rows == Rows::kPost;
  const Rational others(head.length - 3);
  std::vector<SignForm> forms = {free_key(head, head.content_flag(), nullptr),
                                 own_key(head, nullptr)};
  if (post) forms.push_back(free_key(head, kTriggerFlag, nullptr));
  walk_tree(forms, order, text(proof, "tree", "proof"), "proof",
            [&](const std::vector<Rational>& f) {
              if (lower == 0) return;
              Rational total = 1 + others * exp_up(f[0]) + exp_up(f[1]);
              if (post) total += exp_up(f[2]);
              require(lower * total <= 1, "proof", "a leaf does not close");
            });
}

}  // namespace sinkproof::check
