#include "check/relu_product.hpp"

#include "check/logit_forms.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {

using exact::Rational;

Rational proved_product(const Head& head, const Side& side, std::size_t query_flag,
                        std::size_t key_flag, const Order& order, const json::Value& product,
                        const std::string& where) {
  keys(product, {"root", "theta", "tree"}, where);
  const Rational theta = number(product, "theta", where);
  const Rational root = number(product, "root", where);
  require(theta > 0 && root >= 0, where, "theta must be positive and root not negative");
  SignForm form(head.noise);
  add_base(form, head, query_flag, key_flag, theta);
  form.constant += flag_value(head, side, key_flag) / theta;
  for (std::size_t l = 0; l < head.noise; ++l) {
    add_absolute_q(form, head, query_flag, l, noise_value(head, side, l) / theta, theta);
  }
  require_bound(form, order, text(product, "tree", where), root, where);
  return root * root / 4;
}

Rational bos_score(const Head& head, std::size_t query_flag) {
  Rational score = head.logit(query_flag, kBosFlag);
  for (std::size_t k = 0; k < head.noise; ++k)
    score += exact::abs(head.logit(kNoise + k, kBosFlag));
  return exact::max(0, score);
}

}  // namespace sinkproof::check
