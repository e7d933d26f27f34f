// Whether any matrix can score given vectors by given margins (claim ge-1; VECTOR_RULES.md, 6.4 and
// 6.5): the point of least norm in the hull of the constraints' matrices v_j (v_a - v_i)^T. If it
// is not the origin it is the matrix of largest Frobenius margin; if it is, its weights are the
// multipliers that no matrix survives.
#pragma once

#include "exact/error.hpp"
#include "measure/margin_system.hpp"
#include "measure/property.hpp"

namespace sinkproof::measure {

struct Representability {
  bool feasible = false;
  exact::Rational lower;  // of the squared Frobenius margin, when feasible
  exact::Rational upper;
  Property property;  // `representable` or `infeasible`

  [[nodiscard]] bool exact() const { return lower == upper; }
};

struct RepresentableOptions {
  // The exact optimum while its integers stay below this, else rounded with a relative gap of
  // about 1e-6 or what doubles allow.
  std::size_t max_bits = 12000;
};

// Preconditions: gram is the vectors' Gram matrix, the system's numbers are within it. SP1509: the
// doubles' answer could not be made exact either way (a margin too near to zero for them).
exact::Result<Representability> representable(const exact::RationalMatrix& gram,
                                              const MarginSystem& system,
                                              const RepresentableOptions& options = {});

}  // namespace sinkproof::measure
