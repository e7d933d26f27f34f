// A form put over one denominator: from here on its bounds are sums and products of whole numbers,
// without a gcd at every step. CHECKPOINT_RULES.md, 4.5.
#pragma once

#include "attention/sign_form.hpp"

namespace sinkproof::check {

// All of it is of denominator `denominator`, but `own` and `scales`: they are factors of the
// coupling's whole entries, and of N and S have its denominator as well.
struct WholeForm {
  explicit WholeForm(const SignForm& form);

  struct Affine {
    exact::Integer constant;
    std::vector<exact::Integer> linear;
  };
  struct Key {
    std::size_t l;
    std::size_t family;  // its scale's place
    exact::Integer offset;
  };

  exact::Integer denominator = 1;
  Affine sum;
  exact::Integer own;
  std::vector<exact::Integer> scales;
  std::vector<Key> keys;  // |offset + scale * sum_k N_kl u_k|
  std::vector<Affine> absolute;
  const Coupling* coupling;

  [[nodiscard]] std::size_t dimension() const { return sum.linear.size(); }
  // The leaf bound with nothing fixed.
  [[nodiscard]] exact::Rational root_bound() const;
  // The most an absolute value adds to a bound when nothing is known of u.
  void add_reach(exact::Integer& total, const Key& key) const;
  static void add_reach(exact::Integer& total, const Affine& affine);
};

// The largest value of the form, without its constant.
exact::Rational swing_of(const AffineForm& form, std::size_t dimension);

}  // namespace sinkproof::check
