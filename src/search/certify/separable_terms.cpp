#include "certify/separable_terms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "certify/logit_forms.hpp"

namespace sinkproof::certify {

Chords estimated(const ByKey<check::Chord>& chords) {
  Chords result;
  for (std::size_t g = 0; g < kKeys; ++g) {
    const check::Chord& of = chords[g];
    result[g] = {estimate(of.alpha), estimate(of.beta), estimate(of.epsilon), estimate(of.centre)};
  }
  return result;
}

SideTerms::SideTerms(const Head& head, RowClass rows, std::size_t r, int sign, const Chords* chords)
    : head_(head),
      trigger_row_(rows == RowClass::kTrigger),
      r_(r),
      sign_(sign),
      chords_(chords),
      split_(trigger_row_ && r >= kFirstNoise && r < head.content_flag() ? r - kFirstNoise
                                                                         : head.noise),
      query_(trigger_row_ ? kTriggerFlag : head.content_flag()) {}

std::size_t SideTerms::add(SignForm form) {
  forms_.push_back(std::move(form));
  return forms_.size() - 1;
}

const Chord& SideTerms::chord(std::size_t flag) const {
  static const Chord product;
  if (chords_ == nullptr) return product;
  return (*chords_)[flag == kTriggerFlag ? kTriggerKey : kContentKey];
}

std::vector<int> SideTerms::splits(bool zero) const {
  if (!is_split()) return {0};
  return zero ? std::vector<int>{-1, 0, 1} : std::vector<int>{-1, 1};
}

double SideTerms::flag_value(std::size_t flag) const { return sign_ * head_.value_float(r_, flag); }

double SideTerms::noise_value(std::size_t l) const {
  return sign_ * head_.value_float(r_, kFirstNoise + l);
}

double SideTerms::target(std::size_t flag, int z) const {
  if (!trigger_row_) return 0;
  const auto& token = head_.token_float;
  return sign_ * (token(r_, flag) + (is_split() ? z : 0) * token(r_, r_));
}

// epsilon times the largest |value| of a key
double SideTerms::norm(std::size_t flag) const {
  double sum = std::fabs(flag_value(flag));
  for (std::size_t l = 0; l < head_.noise; ++l) sum += std::fabs(noise_value(l));
  return chord(flag).epsilon * sum;
}

std::size_t SideTerms::bos() {
  SignForm form(head_.noise);
  const double value = flag_value(kBosFlag);
  if (chords_ == nullptr) {
    add_base(form, head_, query_, kBosFlag, std::max(0.0, value));
  } else {
    const Chord& k = (*chords_)[kBosKey];
    form.constant = k.alpha * value + k.epsilon * std::fabs(value);
    add_base(form, head_, query_, kBosFlag, k.beta * value);
  }
  return add(std::move(form));
}

std::vector<SeparableTerms> SideTerms::free_key(std::size_t flag,
                                                std::span<const double> balances) {
  std::vector<SeparableTerms> result(balances.size());
  for (const int z : splits(chords_ != nullptr)) {
    const std::size_t main = add(free_main(flag, z));
    for (std::size_t i = 0; i < balances.size(); ++i) {
      result[i].push_back({main, {add(free_root(flag, z, balances[i]))}, balances[i]});
    }
  }
  return result;
}

SeparableTerms SideTerms::own_key(double balance) {
  std::vector<std::size_t> roots = {add(own_root(balance, 1))};
  if (chords_ != nullptr) roots.push_back(add(own_root(balance, -1)));
  SeparableTerms result;
  for (const int z : chords_ == nullptr ? std::vector<int>{0} : splits(false)) {
    result.push_back({add(own_main(z)), roots, balance});
  }
  return result;
}

SignForm SideTerms::free_main(std::size_t flag, int z) const {
  SignForm form(head_.noise);
  form.constant = -target(flag, z);
  if (chords_ == nullptr) return form;
  const Chord& k = chord(flag);
  const double mu = flag_value(flag) + split_value() * z;
  form.constant += mu * k.alpha + norm(flag);
  add_base(form, head_, query_, flag, mu * k.beta);
  for (std::size_t l = 0; l < head_.noise; ++l) {
    if (l != split_) add_absolute_query(form, head_, query_, l, k.centre * rest(l), mu * k.beta);
  }
  if (is_split() && z != 0) add_query(form, head_, query_, split_, mu * z * k.beta);
  if (is_split() && z == 0) {
    add_absolute_query(form, head_, query_, split_, 0, split_value() * k.beta);
  }
  return form;
}

SignForm SideTerms::free_root(std::size_t flag, int z, double balance) const {
  const Chord& k = chord(flag);
  const double slope = balance * k.beta;
  SignForm form(head_.noise);
  form.constant = balance * (k.alpha - k.centre);
  add_base(form, head_, query_, flag, slope);
  if (is_split()) add_query(form, head_, query_, split_, slope * z);
  if (chords_ == nullptr) {
    form.constant += flag_value(flag) + split_value() * z;
  } else {
    SignForm absolute(head_.noise);
    absolute.add_absolute(form.constant, form.linear);
    form = std::move(absolute);
  }
  for (std::size_t l = 0; l < head_.noise; ++l) {
    if (l != split_) add_absolute_query(form, head_, query_, l, rest(l), slope);
  }
  return form;
}

SignForm SideTerms::own_main(int z) const {
  SignForm form(head_.noise);
  form.constant = -target(query_, z);
  if (chords_ == nullptr) {
    if (is_split()) form.linear[split_] = -sign_ * head_.token_float(r_, r_);
    return form;
  }
  const Chord& k = chord(query_);
  const double nu = flag_value(query_) + split_value() * z;
  form.constant += nu * k.alpha + norm(query_);
  add_base(form, head_, query_, query_, nu * k.beta);
  add_self(form, head_, query_, nu * k.beta);
  for (std::size_t l = 0; l < head_.noise; ++l) form.linear[l] += k.centre * rest(l);
  return form;
}

SignForm SideTerms::own_root(const double balance, int side) const {
  const Chord& k = chord(query_);
  const double slope = side * balance * k.beta;
  SignForm form(head_.noise);
  form.constant = side * balance * (k.alpha - k.centre);
  add_base(form, head_, query_, query_, slope);
  add_self(form, head_, query_, slope);
  for (std::size_t l = 0; l < head_.noise; ++l) form.linear[l] += side * rest(l);
  if (chords_ != nullptr) return form;
  form.constant += flag_value(query_);
  if (is_split()) form.linear[split_] += split_value();
  return form;
}

double SideTerms::typical_balance() const {
  SignForm scores(head_.noise);
  add_query_norm(scores, head_, query_);
  SignForm values(head_.noise);
  for (std::size_t l = 0; l < head_.noise; ++l) values.linear[l] = rest(l);
  if (chords_ == nullptr) {
    add_base(scores, head_, query_, head_.content_flag(), 1);
    values.constant = flag_value(head_.content_flag());
  }
  // The root's bound, with the constant's size.
  const auto size = [](SignForm form) {
    form.constant = std::fabs(form.constant);
    return root_bound(form);
  };
  const double score = size(scores) * std::max(chord(head_.content_flag()).beta, 0.0);
  const double value = size(values);
  return score > 0 && value > 0 ? value / score : 1;
}

}  // namespace sinkproof::certify
