// The forms and terms of CHECKPOINT_RULES.md, 4.15, for one side of one class of rows: over doubles
// for the search, exactly where no search is made.
#pragma once

#include <span>
#include <vector>

#include "certify/ranges.hpp"
#include "certify/row_class.hpp"
#include "certify/sign_form.hpp"

namespace sinkproof::certify {

// |kernel(x) - alpha - beta x| <= epsilon for the logits x of a class of keys.
template <typename T>
struct Chord {
  T alpha = 0;
  T beta = 1;
  T epsilon = 0;
  T centre = 0;
};

// Of the keys of one row: BOS, content tokens, the trigger. Those that default are `product`'s.
template <typename T>
struct Chords {
  Chord<T> bos;
  Chord<T> content;
  Chord<T> trigger;
};

Chords<double> chords_of(const Layer& layer, const QueryRanges& ranges);

// main + max(0, roots)^2 / (4 balance), of the bounds of the forms in these places.
template <typename T>
struct SeparableTerm {
  std::size_t main;
  std::vector<std::size_t> roots;
  T balance;

  [[nodiscard]] T bound(std::span<const T> bounds) const {
    T root = 0;
    for (const std::size_t i : roots) root = std::max(root, bounds[i]);
    return bounds[main] + T(root * root / (4 * balance));
  }
};
template <typename T>
using SeparableTerms = std::vector<SeparableTerm<T>>;  // one for each z: the largest counts

template <typename T>
T largest(const SeparableTerms<T>& terms, std::span<const T> bounds) {
  T value = terms.front().bound(bounds);
  for (const auto& term : terms) value = std::max(value, term.bound(bounds));
  return value;
}

template <typename T>
class SideTerms {
 public:
  // chords: null for `product`. All must outlive it.
  SideTerms(const Head& head, RowClass rows, std::size_t r, int sign, const Chords<T>* chords);

  [[nodiscard]] const std::vector<SignFormOver<T>>& forms() const { return forms_; }
  // BOS's form; of `product` counted as 0 where it is negative.
  std::size_t bos();
  // Of a key with noise of its own: for each balance its terms.
  std::vector<SeparableTerms<T>> free_key(std::size_t flag, std::span<const T> balances);
  // Of the query as a key of its own row.
  SeparableTerms<T> own_key(const T& balance);
  // A balance of the right size for the row's content keys.
  [[nodiscard]] T typical_balance() const;

 private:
  std::size_t add(SignFormOver<T> form);
  [[nodiscard]] const Chord<T>& chord(std::size_t flag) const;
  [[nodiscard]] bool is_split() const { return split_ < head_.noise; }
  [[nodiscard]] std::vector<int> splits(bool zero) const;
  [[nodiscard]] T flag_value(std::size_t flag) const;
  [[nodiscard]] T noise_value(std::size_t l) const;
  [[nodiscard]] T split_value() const { return is_split() ? noise_value(split_) : T(0); }
  [[nodiscard]] T rest(std::size_t l) const { return l == split_ ? T(0) : noise_value(l); }
  [[nodiscard]] T target(std::size_t flag, int z) const;
  [[nodiscard]] T norm(std::size_t flag) const;
  [[nodiscard]] SignFormOver<T> free_main(std::size_t flag, int z) const;
  [[nodiscard]] SignFormOver<T> free_root(std::size_t flag, int z, const T& balance) const;
  [[nodiscard]] SignFormOver<T> own_main(int z) const;
  [[nodiscard]] SignFormOver<T> own_root(const T& balance, int side) const;

  const Head& head_;
  bool trigger_row_;
  std::size_t r_;
  int sign_;
  const Chords<T>* chords_;
  std::size_t split_;  // the noise coordinate that is told apart; d: none
  std::size_t query_;
  std::vector<SignFormOver<T>> forms_;
};

extern template class SideTerms<double>;
extern template class SideTerms<exact::Rational>;

}  // namespace sinkproof::certify
