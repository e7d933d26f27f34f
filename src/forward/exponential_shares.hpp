// Kernels and shares of kernels as polynomials: what exp, the logistic function and attention
// weights exp(l_k)/(exp(l_1) + ... + exp(l_i)) are over a whole box, where logits are known well.
// CHECKPOINT_RULES.md, 4.19.
#pragma once

#include <optional>
#include <vector>

#include "forward/polynomial.hpp"

namespace sinkproof::forward {

// Keys of one kind in a row: logits centre + radius * letter, the letter a number in [-1, 1], of
// the row's own (for a single key) or of each key's.
struct LiftedKeys {
  exact::Integer centre;
  exact::Integer radius;
  Monomial letter;
  std::size_t count = 1;
  // How many keys its letters' others may be, and whether these are keys of this kind.
  std::size_t others = 0;
  Range logit = {};  // between which numbers the logits lie; asked for where a radius is too large
};

struct LiftedRow {
  std::vector<LiftedKeys> keys;
  std::optional<Range> null;  // the null slot's logit
  std::size_t kept = 0;  // how many keys the row's others may be; 0: they go into the remainder
  std::size_t degree = 1;
  bool refined = false;  // kernels are intervals where a radius is too large
};

// The logistic function of logits; an interval where their radius is beyond 2.
Polynomials logistic_polynomial(const LiftedKeys& keys, std::size_t degree, unsigned p);

// The share that a key of each kind has of a sum of kernels (of one that there is none of: nothing
// to be relied on): of exp, or of the logistic function. Nothing where a radius is beyond 1, unless
// refined, or the sum of kernels is not known to be positive.
std::optional<std::vector<Polynomials>> exponential_shares(const LiftedRow& row, unsigned p);
std::optional<std::vector<Polynomials>> logistic_shares(const LiftedRow& row, unsigned p);

}  // namespace sinkproof::forward
