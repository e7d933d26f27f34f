#include "check/logit_forms.hpp"

namespace sinkproof::check {

using exact::Rational;

void add_base(SignForm& form, const Head& head, std::size_t query, std::size_t key,
              const Rational& factor) {
  form.constant += factor * head.logit(query, key);
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += factor * head.logit(kNoise + k, key);
  }
}

void add_self(SignForm& form, const Head& head, std::size_t query, const Rational& factor) {
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += factor * head.logit(query, kNoise + k);
    form.constant += exact::max(0, factor * head.logit(kNoise + k, kNoise + k));
  }
  form.own += factor;
  form.coupling = &head.coupling;
}

void add_q(SignForm& form, const Head& head, std::size_t query, std::size_t l,
           const Rational& factor) {
  form.constant += factor * head.logit(query, kNoise + l);
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += factor * head.logit(kNoise + k, kNoise + l);
  }
}

void add_absolute_q(SignForm& form, const Head& head, std::size_t query, std::size_t l,
                    const Rational& offset, const Rational& factor) {
  form.absolute.push_back({offset + factor * head.logit(query, kNoise + l), l, factor, {}});
  form.coupling = &head.coupling;
}

}  // namespace sinkproof::check
