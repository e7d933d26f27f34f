// How the noise of a head's query and of its keys are coupled (CHECKPOINT_RULES.md, 4.5): the
// matrix all its forms share, and multipliers that bound its quadratic forms on the box. These are
// the dual of a semidefinite relaxation, found once per head by Burer and Monteiro's method (the
// "mixing method"), moved until they are feasible, rounded up.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "exact/matrix.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certify {

// Estimates of a head's numbers of the certificate; d each.
struct Multipliers {
  std::vector<double> keys;
  std::vector<double> queries;
  std::vector<double> own;
};

class Coupling {
 public:
  // The noise part of a head's logits M, [n, n].
  explicit Coupling(const exact::Matrix<double>& logit);

  [[nodiscard]] std::size_t dimension() const { return noise_.rows(); }
  [[nodiscard]] double noise(std::size_t k, std::size_t l) const { return noise_(k, l); }  // N_kl
  // Row l is column l of N: the d numbers N_kl.
  [[nodiscard]] const double* key(std::size_t l) const { return &keys_(l, 0); }
  [[nodiscard]] const double* query(std::size_t k) const { return &noise_(k, 0); }
  [[nodiscard]] const double* own(std::size_t k) const { return &own_(k, 0); }  // S_kl, 0 at l = k

  // Found when first asked for, by one thread. Null where doubles do not give any: no coupling, or
  // one that is not finite.
  [[nodiscard]] const Multipliers* multipliers() const;
  // As the certificate has them; ones where there are none.
  [[nodiscard]] const certificate::Multipliers& stated() const {
    static_cast<void>(multipliers());
    return stated_;
  }

 private:
  exact::Matrix<double> noise_;
  exact::Matrix<double> keys_;
  exact::Matrix<double> own_;
  mutable std::once_flag once_;
  mutable std::optional<Multipliers> multipliers_;
  mutable certificate::Multipliers stated_;
};

}  // namespace sinkproof::certify
