// CHECKPOINT_RULES.md, 4.15.
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

// What is known of the keys of one flag: for each side theta and root, or that their weights are
// zero.
using Products = std::vector<std::vector<Rational>>;

Products read_products(const Head& head, std::size_t key, const std::string& name,
                       Obligations& proof) {
  const json::Value& value = proof.parameters()[name];
  if (!value.is_null()) return for_sides(value, head, 2, name);
  const std::size_t content = head.content_flag();
  SignForm form(head.noise);
  add_base(form, head, content, key, 1);
  for (std::size_t l = 0; l < head.noise; ++l) add_absolute_q(form, head, content, l, 0, 1);
  proof.at_most(form, 0, name);
  return {};
}

// The largest weight times s * value of a key, times the row's divisor.
Rational proved_product(const Head& head, const Side& side, std::size_t key,
                        const Products& products, Obligations& proof) {
  if (products.empty()) return 0;
  const Rational& theta = products[side.index()][0];
  const Rational& root = products[side.index()][1];
  require(theta > 0 && root >= 0, side.text(), "theta must be positive and root not negative");
  const std::size_t content = head.content_flag();
  SignForm form(head.noise);
  add_base(form, head, content, key, theta);
  form.constant += flag_value(head, side, key) / theta;
  for (std::size_t l = 0; l < head.noise; ++l) {
    add_absolute_q(form, head, content, l, noise_value(head, side, l) / theta, theta);
  }
  proof.at_most(form, root, side.text());
  return root * root / 4;
}

// sup over the box of the BOS key's score, and at least 0.
Rational bos_score(const Head& head) {
  Rational score = head.logit(head.content_flag(), kBosFlag);
  for (std::size_t k = 0; k < head.noise; ++k) {
    score += exact::abs(head.logit(kNoise + k, kBosFlag));
  }
  return exact::max(0, score);
}

}  // namespace

void rule_relu_row(const Head& head, Rows rows, const Rational& upper, Obligations& proof) {
  const bool post = rows == Rows::kPost;
  keys(proof.parameters(),
       post ? std::vector<std::string>{"content", "trigger"} : std::vector<std::string>{"content"},
       "parameters");
  const std::size_t content_flag = head.content_flag();
  const Products contents = read_products(head, content_flag, "content", proof);
  const Products triggers = post ? read_products(head, kTriggerFlag, "trigger", proof) : Products();
  for_each_side(head.width, [&](const Side& side) {
    const Rational content = proved_product(head, side, content_flag, contents, proof);
    const Rational trigger = proved_product(head, side, kTriggerFlag, triggers, proof);
    const Rational bos_value = exact::max(0, flag_value(head, side, kBosFlag));
    const Rational bos = bos_score(head) * bos_value;
    if (!post) {
      require(upper >= bos + content, side.text(), "bound too small for rows from 2 on");
      require(upper >= exact::max(0, head.logit(kBosFlag, kBosFlag)) * bos_value, side.text(),
              "bound too small for row 1");
      return;
    }
    const Rational few = (2 * content + trigger) / 3;
    const Rational many =
        (Rational(head.length - 2) * content + trigger) / Rational(head.length - 1);
    require(upper >= bos / 3 + exact::max(few, many), side.text(), "bound too small");
  });
}

}  // namespace sinkproof::check
