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
  const Order order = read_order(proof, head);
  const bool post = rows == Rows::kPost;
  const std::size_t content = head.content_flag();
  const std::size_t query = rows == Rows::kTrigger ? kTriggerFlag : content;
  const Rational others(rows == Rows::kTrigger ? head.length - 2 : head.length - 3);
  std::vector<SignForm> forms = {free_key(head, query, content, nullptr),
                                 own_key(head, query, nullptr)};
  if (post) forms.push_back(free_key(head, query, kTriggerFlag, nullptr));
  walk_tree(forms, order, text(proof, "tree", "proof"), "proof",
            [&](const std::vector<Rational>& f) {
              if (lower == 0) return;
              Rational total = 1 + others * exp_up(f[0]) + exp_up(f[1]);
              if (post) total += exp_up(f[2]);
              require(lower * total <= 1, "proof", "a leaf does not close");
            });
}

}  // namespace sinkproof::check
