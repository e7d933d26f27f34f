// CHECKPOINT_RULES.md section 4.11.
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"
#include "check/relu_product.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

// True when `name` holds a tree proving that a content query's score on this key is never positive;
// false when it is null.
bool proved_zero(const Head& head, std::size_t key, const Order& order, const json::Value& proof,
                 const std::string& name) {
  if (proof[name].is_null()) return false;
  SignForm form(head.noise);
  add_base(form, head, head.content_flag(), key, 1);
  for (std::size_t l = 0; l < head.noise; ++l)
    add_absolute_q(form, head, head.content_flag(), l, 0, 1);
  require_bound(form, order, text(proof, name, "proof"), 0, name);
  return true;
}

}  // namespace

void rule_relu_row(const Head& head, Rows rows, const Rational& upper, const json::Value& proof) {
  require(rows != Rows::kTrigger, "proof", "rule relu-row is not for trigger rows");
  const bool post = rows == Rows::kPost;
  std::vector<std::string> expected = {"content_zero", "coordinates", "order", "rule"};
  if (post) expected.emplace_back("trigger_zero");
  keys(proof, expected, "proof");
  const Order order = read_order(proof, head);
  const std::size_t content_flag = head.content_flag();
  const bool content_zero = proved_zero(head, content_flag, order, proof, "content_zero");
  const bool trigger_zero = !post || proved_zero(head, kTriggerFlag, order, proof, "trigger_zero");
  std::vector<std::string> extra;
  if (!content_zero) extra.emplace_back("content");
  if (!trigger_zero) extra.emplace_back("trigger");
  for_each_side(proof, head, extra, [&](const Side& side, const json::Value& object) {
    const auto product = [&](const std::string& name, std::size_t key) {
      return proved_product(head, side, content_flag, key, order, object[name],
                            side.where + ", " + name);
    };
    const Rational content = content_zero ? Rational(0) : product("content", content_flag);
    const Rational trigger = trigger_zero ? Rational(0) : product("trigger", kTriggerFlag);
    const Rational bos_value = exact::max(0, flag_value(head, side, kBosFlag));
    const Rational bos = bos_score(head, content_flag) * bos_value;
    if (!post) {
      require(upper >= bos + content, side.where, "bound too small for rows from 2 on");
      require(upper >= exact::max(0, head.logit(kBosFlag, kBosFlag)) * bos_value, side.where,
              "bound too small for row 1");
      return;
    }
    const Rational few = (2 * content + trigger) / 3;
    const Rational many =
        (Rational(head.length - 2) * content + trigger) / Rational(head.length - 1);
    require(upper >= bos / 3 + exact::max(few, many), side.where, "bound too small");
  });
}

}  // namespace sinkproof::check
