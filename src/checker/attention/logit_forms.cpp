#include "attention/logit_forms.hpp"

namespace sinkproof::check {

using exact::Rational;

void add_base(SignForm& form, const Head& head, std::size_t query, std::size_t key,
              const Rational& factor) {
  form.sum.constant += factor * head.logit(query, key);
  form.sum.add(factor, head.coupling.of_key(key));
}

void add_self(SignForm& form, const Head& head, std::size_t query, const Rational& factor) {
  form.sum.add(factor, head.coupling.of_query(query));
  form.sum.constant += exact::abs(factor) * head.coupling.squares(factor > 0);
  form.own += factor;
  form.coupling = &head.coupling;
}

void add_q(SignForm& form, const Head& head, std::size_t query, std::size_t l,
           const Rational& factor) {
  add_base(form, head, query, kNoise + l, factor);
}

void add_absolute_qs(SignForm& form, const Head& head, std::size_t query, const Rational& weight,
                     const WholeRow& values, const Rational& factor, std::size_t without) {
  form.of_keys.push_back(
      {0, head.noise, without, weight, values, factor, head.coupling.of_query(query).entries});
  form.coupling = &head.coupling;
}

void add_absolute_q(SignForm& form, const Head& head, std::size_t query, std::size_t l,
                    const Rational& factor) {
  form.of_keys.push_back({l, l + 1, kNone, 0, {}, factor, head.coupling.of_query(query).entries});
  form.coupling = &head.coupling;
}

NoiseRow::NoiseRow(const std::vector<Rational>& numbers)
    : numbers_(scaled(exact::RationalMatrix(1, numbers.size(), numbers))) {
  for (const Rational& number : numbers) sum_ += exact::abs(number);
}

NoiseRow noise_values(const Head& head, const Side& side, std::size_t without) {
  std::vector<Rational> values(head.noise);
  for (std::size_t l = 0; l < head.noise; ++l) {
    if (l != without) values[l] = noise_value(head, side, l);
  }
  return NoiseRow(values);
}

NoiseRow noise_radius(const Head& head, std::size_t r) {
  std::vector<Rational> radii(head.noise);
  if (head.is_noise(r)) radii[r - kNoise] = head.token(r, r);
  return NoiseRow(radii);
}

NoiseRow noise_weights(const Gate& gate) {
  std::vector<Rational> weights;
  for (std::size_t l = kNoise; l + 1 < gate.weight.columns(); ++l) {
    weights.push_back(gate.weight(0, l));
  }
  return NoiseRow(weights);
}

}  // namespace sinkproof::check
