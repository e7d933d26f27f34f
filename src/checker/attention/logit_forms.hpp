// base, q and self of CHECKPOINT_RULES.md, 4.3, added to a form with a factor.
#pragma once

#include "attention/layer.hpp"
#include "attention/sign_form.hpp"

namespace sinkproof::check {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);  // no coordinate

// factor * base(query, key)(u)
void add_base(SignForm& form, const Head& head, std::size_t query, std::size_t key,
              const exact::Rational& factor);
// self(query)(u) scaled by factor
void add_self(SignForm& form, const Head& head, std::size_t query, const exact::Rational& factor);
// factor * q(query)_l(u)
void add_q(SignForm& form, const Head& head, std::size_t query, std::size_t l,
           const exact::Rational& factor);
// |weight * values_l + factor * q(query)_l(u)| for all l but `without`
void add_absolute_qs(SignForm& form, const Head& head, std::size_t query,
                     const exact::Rational& weight, const WholeRow& values,
                     const exact::Rational& factor, std::size_t without = kNone);
// |factor * q(query)_l(u)|
void add_absolute_q(SignForm& form, const Head& head, std::size_t query, std::size_t l,
                    const exact::Rational& factor);

// d numbers in whole ones.
class NoiseRow {
 public:
  explicit NoiseRow(const std::vector<exact::Rational>& numbers);
  // Not to be used longer than this.
  [[nodiscard]] WholeRow row() const { return {&numbers_.entries(0, 0), &numbers_.denominator}; }
  // Of the absolute values.
  [[nodiscard]] const exact::Rational& sum() const { return sum_; }

 private:
  exact::ScaledMatrix numbers_;
  exact::Rational sum_;
};

// s V[r][N_l] for all l, 0 at `without`.
NoiseRow noise_values(const Head& head, const Side& side, std::size_t without = kNone);
// X[r][N_l] for all l.
NoiseRow noise_radius(const Head& head, std::size_t r);
// (W_G X)[h][N_l] for all l.
NoiseRow noise_weights(const Gate& gate);

}  // namespace sinkproof::check
