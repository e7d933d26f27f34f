#include "certify/logit_forms.hpp"

#include <algorithm>
#include <vector>

#include "attention/whole_form.hpp"

namespace sinkproof::certify {

void add_base(SignForm& form, const Head& head, std::size_t query_flag, std::size_t key_flag,
              double scale) {
  const auto& m = head.logit_float;
  form.constant += scale * m(query_flag, key_flag);
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += scale * m(kFirstNoise + k, key_flag);
  }
}

void add_self(SignForm& form, const Head& head, std::size_t query_flag, double scale) {
  const auto& m = head.logit_float;
  form.own += scale;
  form.coupling = head.coupling.get();
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += scale * m(query_flag, kFirstNoise + k);
    form.constant += std::max(0.0, scale * m(kFirstNoise + k, kFirstNoise + k));
    for (std::size_t l = k + 1; l < head.noise; ++l) {
      form.cross_at(k, l) +=
          scale * (m(kFirstNoise + k, kFirstNoise + l) + m(kFirstNoise + l, kFirstNoise + k));
    }
  }
}

void add_absolute_query(SignForm& form, const Head& head, std::size_t query_flag, std::size_t l,
                        double offset, double scale) {
  const auto& m = head.logit_float;
  std::vector<double> row(head.noise);
  for (std::size_t k = 0; k < head.noise; ++k) {
    row[k] = scale * m(kFirstNoise + k, kFirstNoise + l);
  }
  form.coupling = head.coupling.get();
  form.add_absolute(offset + scale * m(query_flag, kFirstNoise + l), row, l, scale);
}

void add_query(SignForm& form, const Head& head, std::size_t query_flag, std::size_t l,
               double scale) {
  const auto& m = head.logit_float;
  form.constant += scale * m(query_flag, kFirstNoise + l);
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += scale * m(kFirstNoise + k, kFirstNoise + l);
  }
}

void add_query_norm(SignForm& form, const Head& head, std::size_t query_flag) {
  for (std::size_t l = 0; l < head.noise; ++l) add_absolute_query(form, head, query_flag, l, 0, 1);
}

SignForm estimated(const check::SignForm& form, const Head& head) {
  const check::WholeForm whole(form);
  const std::size_t d = form.dimension;
  const auto number = [&](const exact::Integer& units) {
    return estimate(exact::make_rational(units, whole.denominator));
  };
  const auto numbers = [&](const std::vector<exact::Integer>& units) {
    std::vector<double> result(units.size());
    std::transform(units.begin(), units.end(), result.begin(), number);
    return result;
  };
  SignForm result(d);
  result.constant = number(whole.sum.constant);
  result.linear = numbers(whole.sum.linear);
  if (form.coupling != nullptr) result.coupling = head.coupling.get();
  if (whole.own != 0) {
    result.own = estimate(form.own);
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t l = k + 1; l < d; ++l) {
        result.cross_at(k, l) = number(whole.own * whole.coupling->own(k, l));
      }
    }
  }
  for (const auto& key : whole.keys) {
    const exact::Integer& scale = whole.scales[key.family];
    std::vector<double> row(d);
    for (std::size_t k = 0; k < d; ++k) row[k] = number(scale * whole.coupling->noise(k, key.l));
    result.add_absolute(number(key.offset), row, key.l, estimate(form.of_keys[key.family].scale));
  }
  for (const auto& one : whole.absolute) {
    result.add_absolute(number(one.constant), numbers(one.linear));
  }
  return result;
}

}  // namespace sinkproof::certify
