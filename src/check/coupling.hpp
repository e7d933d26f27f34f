// How the noise of a head's query and of its keys are coupled, whatever their flags: what all its
// forms have in common, looked at once. CHECKPOINT_RULES.md, 4.5.
#pragma once

#include <optional>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "check/scaled_matrix.hpp"

namespace sinkproof::check {

// A point (y, x^1, x^2, ..) and its products with N and S; d numbers each.
struct PointImage {
  struct Group {
    std::vector<exact::Rational> x;
    std::vector<exact::Rational> product;  // sum_l N_kl x_l
  };
  std::vector<exact::Rational> y;
  std::vector<exact::Rational> keys;  // (N^T y)_l
  std::vector<exact::Rational> own;   // (S y)_k
  std::vector<Group> groups;
};

class Coupling {
 public:
  Coupling() = default;
  // N of a head of logits M, [n, n].
  explicit Coupling(const exact::RationalMatrix& logit);

  [[nodiscard]] std::size_t dimension() const { return key_sums_.size(); }
  [[nodiscard]] const exact::Integer& denominator() const { return noise_.denominator; }
  [[nodiscard]] exact::Rational noise(std::size_t k, std::size_t l) const;  // N_kl
  [[nodiscard]] exact::Rational own(std::size_t k, std::size_t l) const;    // S_kl, 0 for k = l
  // sum_k |N_kl|, and sum_{k<l} |S_kl|.
  [[nodiscard]] const exact::Rational& key_sum(std::size_t l) const { return key_sums_[l]; }
  [[nodiscard]] const exact::Rational& own_sum() const { return own_sum_; }

  // Throws Rejected unless these show that both matrices are positive semidefinite. Precondition:
  // d positive numbers each.
  void require_shown(const certificate::Multipliers& multipliers);
  // Those shown, or null.
  [[nodiscard]] const certificate::Multipliers* multipliers() const {
    return multipliers_ ? &*multipliers_ : nullptr;
  }

  [[nodiscard]] PointImage image(const certificate::Point& point) const;

 private:
  ScaledMatrix noise_;
  std::vector<exact::Rational> key_sums_;
  exact::Rational own_sum_;
  std::optional<certificate::Multipliers> multipliers_;
};

}  // namespace sinkproof::check
