// How the noise of a head's query and of its keys are coupled, whatever their flags: what all its
// forms have in common, looked at once. CHECKPOINT_RULES.md, 4.5.
#pragma once

#include <optional>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "exact/scaled_matrix.hpp"

namespace sinkproof::check {

// d whole numbers of a matrix that outlives this, over a denominator; null stands for zeros.
struct WholeRow {
  const exact::Integer* entries = nullptr;
  const exact::Integer* denominator = nullptr;
};

// A point (y, x^1, x^2, ..) and what does not depend on the form, in whole numbers: products with
// N and S are of the coupling's denominator, multipliers times that one of their own; points count
// sixteenths.
struct PointImage {
  struct Group {
    std::vector<int> x;
    std::vector<exact::Integer> product;  // sum_l N_kl x_l
  };
  std::vector<int> y;
  std::vector<exact::Integer> keys;           // (N^T y)_l
  std::vector<exact::Integer> own;            // (S y)_k
  exact::Integer own_product;                 // y . S y
  std::vector<exact::Integer> query_slopes;   // beta_k y_k
  std::vector<exact::Integer> own_slopes;     // gamma_k y_k
  exact::Integer query_squares, own_squares;  // sum_k beta_k (16^2 + y_k^2), and of gamma
  std::vector<Group> groups;
};

// Multipliers times the coupling's denominator, over one of their own.
struct ShownMultipliers {
  exact::Integer denominator = 1;
  std::vector<exact::Integer> keys, queries, own;
};

class Coupling {
 public:
  Coupling() = default;
  // Of a head of logits M, [n, n].
  explicit Coupling(const exact::RationalMatrix& logit);

  [[nodiscard]] std::size_t dimension() const { return key_sums_.size(); }
  [[nodiscard]] const exact::Integer& denominator() const { return logit_.denominator; }
  // N_kl, and S_kl, 0 for k = l, times the denominator.
  [[nodiscard]] const exact::Integer& noise(std::size_t k, std::size_t l) const {
    return logit_.entries(certificate::kNoise + k, certificate::kNoise + l);
  }
  [[nodiscard]] exact::Integer own(std::size_t k, std::size_t l) const {
    return k == l ? exact::Integer(0) : exact::Integer(noise(k, l) + noise(l, k));
  }
  // sum_k |N_kl|, and sum_{k<l} |S_kl|, times the denominator.
  [[nodiscard]] const exact::Integer& key_sum(std::size_t l) const { return key_sums_[l]; }
  [[nodiscard]] const exact::Integer& own_sum() const { return own_sum_; }

  // sum_k max(0, N_kk), or of -N_kk.
  [[nodiscard]] const exact::Rational& squares(bool positive) const {
    return positive ? squares_above_ : squares_below_;
  }

  // M[query][N_l] for all l, and M[N_k][key] for all k.
  [[nodiscard]] WholeRow of_query(std::size_t query) const {
    return {&logit_.entries(query, certificate::kNoise), &logit_.denominator};
  }
  [[nodiscard]] WholeRow of_key(std::size_t key) const {
    return {&transposed_(key, certificate::kNoise), &logit_.denominator};
  }

  // Throws Rejected unless these show that both matrices are positive semidefinite. Precondition:
  // d positive numbers each.
  void require_shown(const certificate::Multipliers& multipliers);
  // Those shown, or null.
  [[nodiscard]] const ShownMultipliers* multipliers() const { return shown_ ? &*shown_ : nullptr; }

  // Precondition: there are multipliers.
  [[nodiscard]] PointImage image(const certificate::Point& point) const;

 private:
  exact::ScaledMatrix logit_;  // M
  exact::IntegerMatrix transposed_;
  std::vector<exact::Integer> key_sums_;
  exact::Integer own_sum_;
  exact::Rational squares_above_, squares_below_;
  std::optional<ShownMultipliers> shown_;
};

}  // namespace sinkproof::check
