#include "certify/logit_forms.hpp"

#include <algorithm>
#include <vector>

namespace sinkproof::certify {

void add_base(SignForm& form, const Head& head, std::size_t query_flag, std::size_t key_flag,
              double scale) {
  form.constant += scale * head.logit_float(query_flag, key_flag);
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += scale * head.logit_float(kFirstNoise + k, key_flag);
  }
}

void add_self(SignForm& form, const Head& head, std::size_t query_flag, double scale) {
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += scale * head.logit_float(query_flag, kFirstNoise + k);
    form.constant += std::max(0.0, scale * head.logit_float(kFirstNoise + k, kFirstNoise + k));
    for (std::size_t l = k + 1; l < head.noise; ++l) {
      form.cross_at(k, l) += scale * (head.logit_float(kFirstNoise + k, kFirstNoise + l) +
                                      head.logit_float(kFirstNoise + l, kFirstNoise + k));
    }
  }
}

void add_absolute_query(SignForm& form, const Head& head, std::size_t query_flag, std::size_t l,
                        double offset, double scale) {
  std::vector<double> row(head.noise);
  for (std::size_t k = 0; k < head.noise; ++k) {
    row[k] = scale * head.logit_float(kFirstNoise + k, kFirstNoise + l);
  }
  form.add_absolute(offset + scale * head.logit_float(query_flag, kFirstNoise + l), row);
}

void add_query(SignForm& form, const Head& head, std::size_t query_flag, std::size_t l,
               double scale) {
  form.constant += scale * head.logit_float(query_flag, kFirstNoise + l);
  for (std::size_t k = 0; k < head.noise; ++k) {
    form.linear[k] += scale * head.logit_float(kFirstNoise + k, kFirstNoise + l);
  }
}

void add_query_norm(SignForm& form, const Head& head, std::size_t query_flag) {
  for (std::size_t l = 0; l < head.noise; ++l) add_absolute_query(form, head, query_flag, l, 0, 1);
}

}  // namespace sinkproof::certify
