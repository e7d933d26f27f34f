#include "certify/separable_terms.hpp"

#include <algorithm>
#include <utility>

#include "certify/kernel.hpp"
#include "certify/logit_forms.hpp"

namespace sinkproof::certify {
namespace {

using certificate::Kernel;
using exact::Rational;

constexpr unsigned kBits = 192;
constexpr unsigned kChordBits = 64;

// How far a kernel may lie below its chord.
Rational sag(Kernel kernel, const ClassRange& range) {
  const Rational& low = range.logits.least;
  const Rational& high = range.logits.greatest;
  const Rational square = (high - low) * (high - low) / 8;
  if (kernel == Kernel::kRelu && low < 0 && high > 0) return -low * high / (high - low);
  if (kernel == Kernel::kElu1 && low < 0) return exact::min(1, range.greatest) * square;
  if (kernel != Kernel::kSigmoid) return 0;
  const Rational tail = exact::min(range.greatest, 1 - range.least);
  return exact::min(exact::make_rational(1, 10), tail) * square;
}

Chord<double> chord_of(const Layer& layer, const ClassRange& range) {
  const Rational& low = range.logits.least;
  const Rational& high = range.logits.greatest;
  const Kernel kernel = layer.kind().kernel;
  const Rational beta =
      high == low ? Rational(0)
                  : exact::round_down((range.greatest - range.least) / (high - low), kChordBits);
  const auto at_low = kernel_enclosure(layer.attention, low, kBits);
  const auto at_high = kernel_enclosure(layer.attention, high, kBits);
  const Rational below = sag(kernel, range);
  const Rational above = kernel == Kernel::kSigmoid ? below : Rational(0);
  const Rational least = exact::min(at_low.lower - beta * low, at_high.lower - beta * high) - below;
  const Rational greatest =
      exact::max(at_low.upper - beta * low, at_high.upper - beta * high) + above;
  const Rational alpha = (least + greatest) / 2;
  return {estimate(alpha), estimate(beta), estimate((greatest - least) / 2),
          estimate(alpha + beta * (low + high) / 2)};
}

}  // namespace

Chords<double> chords_of(const Layer& layer, const QueryRanges& ranges) {
  return {chord_of(layer, ranges.keys[kBosKey]), chord_of(layer, ranges.keys[kContentKey]),
          chord_of(layer, ranges.keys[kTriggerKey])};
}

template <typename T>
SideTerms<T>::SideTerms(const Head& head, RowClass rows, std::size_t r, int sign,
                        const Chords<T>* chords)
    : head_(head),
      trigger_row_(rows == RowClass::kTrigger),
      r_(r),
      sign_(sign),
      chords_(chords),
      split_(trigger_row_ && r >= kFirstNoise && r < head.content_flag() ? r - kFirstNoise
                                                                         : head.noise),
      query_(trigger_row_ ? kTriggerFlag : head.content_flag()) {}

template <typename T>
std::size_t SideTerms<T>::add(SignFormOver<T> form) {
  forms_.push_back(std::move(form));
  return forms_.size() - 1;
}

template <typename T>
const Chord<T>& SideTerms<T>::chord(std::size_t flag) const {
  static const Chord<T> product;
  if (chords_ == nullptr) return product;
  return flag == kTriggerFlag ? chords_->trigger : chords_->content;
}

template <typename T>
std::vector<int> SideTerms<T>::splits(bool zero) const {
  if (!is_split()) return {0};
  return zero ? std::vector<int>{-1, 0, 1} : std::vector<int>{-1, 1};
}

template <typename T>
T SideTerms<T>::flag_value(std::size_t flag) const {
  return sign_ * head_.value_as<T>()(r_, flag);
}

template <typename T>
T SideTerms<T>::noise_value(std::size_t l) const {
  return sign_ * head_.value_as<T>()(r_, kFirstNoise + l);
}

template <typename T>
T SideTerms<T>::target(std::size_t flag, int z) const {
  if (!trigger_row_) return 0;
  const auto& token = head_.token_as<T>();
  return sign_ * (token(r_, flag) + (is_split() ? z : 0) * token(r_, r_));
}

// epsilon times the largest |value| of a key
template <typename T>
T SideTerms<T>::norm(std::size_t flag) const {
  const auto size = [](const T& x) { return x < 0 ? T(-x) : x; };
  T sum = size(flag_value(flag));
  for (std::size_t l = 0; l < head_.noise; ++l) sum += size(noise_value(l));
  return chord(flag).epsilon * sum;
}

template <typename T>
std::size_t SideTerms<T>::bos() {
  SignFormOver<T> form(head_.noise);
  const T value = flag_value(kBosFlag);
  if (chords_ == nullptr) {
    add_base(form, head_, query_, kBosFlag, std::max(T(0), value));
  } else {
    const Chord<T>& k = chords_->bos;
    form.constant = k.alpha * value + k.epsilon * std::max(value, T(-value));
    add_base(form, head_, query_, kBosFlag, k.beta * value);
  }
  return add(std::move(form));
}

template <typename T>
std::vector<SeparableTerms<T>> SideTerms<T>::free_key(std::size_t flag,
                                                      std::span<const T> balances) {
  std::vector<SeparableTerms<T>> result(balances.size());
  for (const int z : splits(chords_ != nullptr)) {
    const std::size_t main = add(free_main(flag, z));
    for (std::size_t i = 0; i < balances.size(); ++i) {
      result[i].push_back({main, {add(free_root(flag, z, balances[i]))}, balances[i]});
    }
  }
  return result;
}

template <typename T>
SeparableTerms<T> SideTerms<T>::own_key(const T& balance) {
  std::vector<std::size_t> roots = {add(own_root(balance, 1))};
  if (chords_ != nullptr) roots.push_back(add(own_root(balance, -1)));
  SeparableTerms<T> result;
  for (const int z : chords_ == nullptr ? std::vector<int>{0} : splits(false)) {
    result.push_back({add(own_main(z)), roots, balance});
  }
  return result;
}

template <typename T>
SignFormOver<T> SideTerms<T>::free_main(std::size_t flag, int z) const {
  SignFormOver<T> form(head_.noise);
  form.constant = -target(flag, z);
  if (chords_ == nullptr) return form;
  const Chord<T>& k = chord(flag);
  const T mu = flag_value(flag) + split_value() * z;
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

template <typename T>
SignFormOver<T> SideTerms<T>::free_root(std::size_t flag, int z, const T& balance) const {
  const Chord<T>& k = chord(flag);
  const T slope = balance * k.beta;
  SignFormOver<T> form(head_.noise);
  form.constant = balance * (k.alpha - k.centre);
  add_base(form, head_, query_, flag, slope);
  if (is_split()) add_query(form, head_, query_, split_, slope * z);
  if (chords_ == nullptr) {
    form.constant += flag_value(flag) + split_value() * z;
  } else {
    SignFormOver<T> absolute(head_.noise);
    absolute.add_absolute(form.constant, std::span<const T>(form.linear));
    form = std::move(absolute);
  }
  for (std::size_t l = 0; l < head_.noise; ++l) {
    if (l != split_) add_absolute_query(form, head_, query_, l, rest(l), slope);
  }
  return form;
}

template <typename T>
SignFormOver<T> SideTerms<T>::own_main(int z) const {
  SignFormOver<T> form(head_.noise);
  form.constant = -target(query_, z);
  if (chords_ == nullptr) {
    if (is_split()) form.linear[split_] = -sign_ * head_.token_as<T>()(r_, r_);
    return form;
  }
  const Chord<T>& k = chord(query_);
  const T nu = flag_value(query_) + split_value() * z;
  form.constant += nu * k.alpha + norm(query_);
  add_base(form, head_, query_, query_, nu * k.beta);
  add_self(form, head_, query_, nu * k.beta);
  for (std::size_t l = 0; l < head_.noise; ++l) form.linear[l] += k.centre * rest(l);
  return form;
}

template <typename T>
SignFormOver<T> SideTerms<T>::own_root(const T& balance, int side) const {
  const Chord<T>& k = chord(query_);
  const T slope = side * balance * k.beta;
  SignFormOver<T> form(head_.noise);
  form.constant = side * balance * (k.alpha - k.centre);
  add_base(form, head_, query_, query_, slope);
  add_self(form, head_, query_, slope);
  for (std::size_t l = 0; l < head_.noise; ++l) form.linear[l] += side * rest(l);
  if (chords_ != nullptr) return form;
  form.constant += flag_value(query_);
  if (is_split()) form.linear[split_] += split_value();
  return form;
}

template <typename T>
T SideTerms<T>::typical_balance() const {
  SignFormOver<T> scores(head_.noise);
  add_query_norm(scores, head_, query_);
  SignFormOver<T> values(head_.noise);
  for (std::size_t l = 0; l < head_.noise; ++l) values.linear[l] = rest(l);
  if (chords_ == nullptr) {
    add_base(scores, head_, query_, head_.content_flag(), 1);
    values.constant = flag_value(head_.content_flag());
  }
  // The root's bound, with the constant's size.
  const auto size = [](SignFormOver<T> form) {
    form.constant = std::max(form.constant, T(-form.constant));
    return root_bound(form);
  };
  const T score = size(scores) * std::max(chord(head_.content_flag()).beta, T(0));
  const T value = size(values);
  return score > 0 && value > 0 ? T(value / score) : T(1);
}

template class SideTerms<double>;
template class SideTerms<Rational>;

}  // namespace sinkproof::certify
