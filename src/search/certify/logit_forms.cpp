#include "certify/logit_forms.hpp"

#include <algorithm>
#include <vector>

namespace sinkproof::certify {

template <typename T>
void add_base(SignFormOver<T>& form, const Head& head, std::size_t query_flag, std::size_t key_flag,
              const std::type_identity_t<T>& scale) {
  const auto& m = head.logit_as<T>();
  form.constant += scale * m(query_flag, key_flag);
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += scale * m(kFirstNoise + k, key_flag);
  }
}

template <typename T>
void add_self(SignFormOver<T>& form, const Head& head, std::size_t query_flag,
              const std::type_identity_t<T>& scale) {
  const auto& m = head.logit_as<T>();
  form.own += scale;
  form.coupling = head.coupling.get();
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += scale * m(query_flag, kFirstNoise + k);
    form.constant += std::max(T(0), T(scale * m(kFirstNoise + k, kFirstNoise + k)));
    for (std::size_t l = k + 1; l < head.noise; ++l) {
      form.cross_at(k, l) +=
          scale * (m(kFirstNoise + k, kFirstNoise + l) + m(kFirstNoise + l, kFirstNoise + k));
    }
  }
}

template <typename T>
void add_absolute_query(SignFormOver<T>& form, const Head& head, std::size_t query_flag,
                        std::size_t l, const std::type_identity_t<T>& offset,
                        const std::type_identity_t<T>& scale) {
  const auto& m = head.logit_as<T>();
  std::vector<T> row(head.noise);
  for (std::size_t k = 0; k < head.noise; ++k) {
    row[k] = scale * m(kFirstNoise + k, kFirstNoise + l);
  }
  form.coupling = head.coupling.get();
  form.add_absolute(offset + scale * m(query_flag, kFirstNoise + l), std::span<const T>(row), l,
                    scale);
}

template <typename T>
void add_query(SignFormOver<T>& form, const Head& head, std::size_t query_flag, std::size_t l,
               const std::type_identity_t<T>& scale) {
  const auto& m = head.logit_as<T>();
  form.constant += scale * m(query_flag, kFirstNoise + l);
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += scale * m(kFirstNoise + k, kFirstNoise + l);
  }
}

template <typename T>
void add_query_norm(SignFormOver<T>& form, const Head& head, std::size_t query_flag) {
  for (std::size_t l = 0; l < head.noise; ++l) add_absolute_query(form, head, query_flag, l, 0, 1);
}

template void add_base(SignFormOver<double>&, const Head&, std::size_t, std::size_t, const double&);
template void add_self(SignFormOver<double>&, const Head&, std::size_t, const double&);
template void add_absolute_query(SignFormOver<double>&, const Head&, std::size_t, std::size_t,
                                 const double&, const double&);
template void add_query(SignFormOver<double>&, const Head&, std::size_t, std::size_t,
                        const double&);
template void add_query_norm(SignFormOver<double>&, const Head&, std::size_t);

template void add_base(SignFormOver<exact::Rational>&, const Head&, std::size_t, std::size_t,
                       const exact::Rational&);
template void add_self(SignFormOver<exact::Rational>&, const Head&, std::size_t,
                       const exact::Rational&);
template void add_absolute_query(SignFormOver<exact::Rational>&, const Head&, std::size_t,
                                 std::size_t, const exact::Rational&, const exact::Rational&);
template void add_query(SignFormOver<exact::Rational>&, const Head&, std::size_t, std::size_t,
                        const exact::Rational&);
template void add_query_norm(SignFormOver<exact::Rational>&, const Head&, std::size_t);

}  // namespace sinkproof::certify
