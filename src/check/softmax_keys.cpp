#include "check/softmax_keys.hpp"

#include "check/logit_forms.hpp"

namespace sinkproof::check {
namespace {

SignForm relative_to_bos(const Head& head, std::size_t query, std::size_t key) {
  SignForm form(head.noise);
  add_base(form, head, query, key, 1);
  add_base(form, head, query, kBosFlag, -1);
  return form;
}

void add_value(SignForm& form, const Head& head, std::size_t key, const ValueTerm& term) {
  form.constant += term.lambda * (flag_value(head, term.side, key) - term.eta) - 1;
}

}  // namespace

SignForm free_key(const Head& head, std::size_t query, std::size_t key, const ValueTerm* term) {
  SignForm form = relative_to_bos(head, query, key);
  for (std::size_t l = 0; l < head.noise; ++l) {
    const exact::Rational offset =
        term == nullptr ? exact::Rational(0) : term->lambda * noise_value(head, term->side, l);
    add_absolute_q(form, head, query, l, offset, 1);
  }
  if (term != nullptr) add_value(form, head, key, *term);
  return form;
}

SignForm own_key(const Head& head, std::size_t query, const ValueTerm* term) {
  SignForm form = relative_to_bos(head, query, query);
  add_self(form, head, query, 1);
  if (term != nullptr) {
    for (std::size_t l = 0; l < head.noise; ++l) {
      form.linear[l] += term->lambda * noise_value(head, term->side, l);
    }
    add_value(form, head, query, *term);
  }
  return form;
}

}  // namespace sinkproof::check
