// The forms and terms of CHECKPOINT_RULES.md, 4.15, for one side of one class of rows: in doubles.
#pragma once

#include <span>
#include <vector>

#include "attention/separable_row.hpp"
#include "certify/ranges.hpp"
#include "certify/row_class.hpp"
#include "certify/sign_form.hpp"

namespace sinkproof::certify {

struct Chord {
  double alpha = 0;
  double beta = 1;
  double epsilon = 0;
  double centre = 0;
};

// check::Chord of the keys of one row in doubles; those that default are `product`'s.
using Chords = ByKey<Chord>;
Chords estimated(const ByKey<check::Chord>& chords);

// main + max(0, roots)^2 / (4 balance), of the bounds of the forms in these places.
struct SeparableTerm {
  std::size_t main;
  std::vector<std::size_t> roots;
  double balance;

  [[nodiscard]] double bound(std::span<const double> bounds) const {
    double root = 0;
    for (const std::size_t i : roots) root = std::max(root, bounds[i]);
    return bounds[main] + root * root / (4 * balance);
  }
};
using SeparableTerms = std::vector<SeparableTerm>;  // one for each z: the largest counts

inline double largest(const SeparableTerms& terms, std::span<const double> bounds) {
  double value = terms.front().bound(bounds);
  for (const auto& term : terms) value = std::max(value, term.bound(bounds));
  return value;
}

class SideTerms {
 public:
  // chords: null for `product`. All must outlive it.
  SideTerms(const Head& head, RowClass rows, std::size_t r, int sign, const Chords* chords);

  [[nodiscard]] const std::vector<SignForm>& forms() const { return forms_; }
  // BOS's form; of `product` counted as 0 where it is negative.
  std::size_t bos();
  // Of a key with noise of its own: for each balance its terms.
  std::vector<SeparableTerms> free_key(std::size_t flag, std::span<const double> balances);
  // Of the query as a key of its own row.
  SeparableTerms own_key(double balance);
  // A balance of the right size for the row's content keys.
  [[nodiscard]] double typical_balance() const;

 private:
  std::size_t add(SignForm form);
  [[nodiscard]] const Chord& chord(std::size_t flag) const;
  [[nodiscard]] bool is_split() const { return split_ < head_.noise; }
  [[nodiscard]] std::vector<int> splits(bool zero) const;
  [[nodiscard]] double flag_value(std::size_t flag) const;
  [[nodiscard]] double noise_value(std::size_t l) const;
  [[nodiscard]] double split_value() const { return is_split() ? noise_value(split_) : 0.0; }
  [[nodiscard]] double rest(std::size_t l) const { return l == split_ ? 0.0 : noise_value(l); }
  [[nodiscard]] double target(std::size_t flag, int z) const;
  [[nodiscard]] double norm(std::size_t flag) const;
  [[nodiscard]] SignForm free_main(std::size_t flag, int z) const;
  [[nodiscard]] SignForm free_root(std::size_t flag, int z, double balance) const;
  [[nodiscard]] SignForm own_main(int z) const;
  [[nodiscard]] SignForm own_root(double balance, int side) const;

  const Head& head_;
  bool trigger_row_;
  std::size_t r_;
  int sign_;
  const Chords* chords_;
  std::size_t split_;  // the noise coordinate that is told apart; d: none
  std::size_t query_;
  std::vector<SignForm> forms_;
};

}  // namespace sinkproof::certify
