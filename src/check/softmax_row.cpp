// CHECKPOINT_RULES.md, 4.12 and 4.13.
#include "check/kernel.hpp"
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

// A logit from a query with this flag, less that of the slot: of another key, at its largest over
// the key's noise, or of the query on itself.
SignForm other_key(const Head& head, std::size_t query, std::size_t key, bool from_bos) {
  SignForm form(head.noise);
  add_base(form, head, query, key, 1);
  if (from_bos) add_base(form, head, query, kBosFlag, -1);
  add_absolute_qs(form, head, query, 0, {}, 1);
  return form;
}

SignForm own_key(const Head& head, std::size_t query, bool from_bos) {
  SignForm form(head.noise);
  add_base(form, head, query, query, 1);
  if (from_bos) add_base(form, head, query, kBosFlag, -1);
  add_self(form, head, query, 1);
  return form;
}

// F0 and F2: other_key's with lambda (s v(key)_r - eta) - 1 in the exponent.
SignForm weighed_key(const Head& head, std::size_t key, const Side& side, const NoiseRow& values,
                     const Rational& lambda, const Rational& eta) {
  const std::size_t content = head.content_flag();
  SignForm form(head.noise);
  add_base(form, head, content, key, 1);
  add_base(form, head, content, kBosFlag, -1);
  add_absolute_qs(form, head, content, lambda, values.row(), 1);
  form.sum.constant += lambda * (flag_value(head, side, key) - eta) - 1;
  return form;
}

// F1: own_key's.
SignForm weighed_self(const Head& head, const Side& side, const NoiseRow& values,
                      const Rational& lambda, const Rational& eta) {
  SignForm form = own_key(head, head.content_flag(), true);
  form.sum.add(lambda, values.row());
  form.sum.constant += lambda * (flag_value(head, side, head.content_flag()) - eta) - 1;
  return form;
}

}  // namespace

void rule_softmax_row(const Head& head, Rows rows, const Rational& upper, Obligations& proof) {
  keys(proof.parameters(), {"lambda"}, "parameters");
  const bool post = rows == Rows::kPost;
  const std::size_t content = head.content_flag();
  const Rational others(head.length - 3);
  const auto lambdas = for_sides(proof.parameters()["lambda"], head, post ? 3 : 2, "lambda");
  for_each_side(head.width, [&](const Side& side) {
    const std::vector<Rational>& lambda = lambdas[side.index()];
    for (const Rational& one : lambda) require(one > 0, side.text(), "lambda must be positive");
    const NoiseRow values = noise_values(head, side);
    std::vector<SignForm> forms = {weighed_key(head, content, side, values, lambda[0], upper),
                                   weighed_self(head, side, values, lambda[1], upper)};
    if (post) forms.push_back(weighed_key(head, kTriggerFlag, side, values, lambda[2], upper));
    const Rational start = flag_value(head, side, kBosFlag) - upper;
    proof.at_leaves_with_exp(forms, forms.size(), side.text(), [&](const std::vector<Rational>& f) {
      Rational total = start + others * exp_up(f[0]) / lambda[0] + exp_up(f[1]) / lambda[1];
      if (post) total += exp_up(f[2]) / lambda[2];
      require(total <= 0, side.text(), "a leaf does not close");
    });
  });
}

void rule_softmax_floor(const Layer& layer, const certificate::Bound& bound, Obligations& proof) {
  keys(proof.parameters(), {}, "parameters");
  const Rows rows = *bound.rows;
  const bool trigger = rows == Rows::kTrigger;
  const bool bos = !is_null(bound.readout);
  for_each_head(layer, bound, [&](std::size_t h) {
    const Head& head = layer.heads[h];
    const std::size_t query = trigger ? kTriggerFlag : head.content_flag();
    const Rational others(trigger ? head.length - 2 : head.length - 3);
    std::vector<SignForm> forms = {other_key(head, query, head.content_flag(), bos),
                                   own_key(head, query, bos)};
    if (rows == Rows::kPost) forms.push_back(other_key(head, query, kTriggerFlag, bos));
    if (layer.kind.null_slot) {
      forms.emplace_back(head.noise);
      add_base(forms.back(), head, query, kBosFlag, bos ? -1 : 1);
    }
    const std::string where = "head " + std::to_string(h);
    proof.at_leaves_with_exp(forms, forms.size(), where, [&](const std::vector<Rational>& f) {
      if (bound.lower == 0) return;
      Rational total = 1 + others * exp_up(f[0]);
      for (std::size_t i = 1; i < f.size(); ++i) total += exp_up(f[i]);
      require(bound.lower * total <= 1, where, "a leaf does not close");
    });
  });
}

}  // namespace sinkproof::check
