// Kernels and shares of kernels as polynomials: what max(0, x), exp, the logistic function and
// attention weights exp(l_k)/(exp(l_1) + ... + exp(l_i)) are over a whole box, the latter where
// logits are known well. CHECKPOINT_RULES.md, 4.19.
#pragma once

#include <optional>
#include <vector>

#include "certificate/attention.hpp"
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
};

// The derivatives 0 to `last` of the logistic function s over their factorials, where s lies in
// `at`.
std::vector<Range> logistic_derivatives(const Range& at, std::size_t last, unsigned p);

// The logistic function of logits; an interval where their radius is beyond 2.
Polynomials logistic_polynomial(const LiftedKeys& keys, std::size_t degree, unsigned p);

// The weight of a key of each kind, of kinds of attention whose kernel is exp or the logistic
// function (of one that there is none of: nothing to be relied on). A kernel is an interval where
// its radius is too large. Nothing where a sum of kernels is not known to be positive.
std::optional<std::vector<Polynomials>> lifted_weights(const certificate::AttentionKind& kind,
                                                       const LiftedRow& row, unsigned p);

// max(0, x) of an x in `at`.
Polynomials rectified(const Polynomials& x, const Range& at, std::size_t keys, unsigned p);
// That times each coordinate of `value`, as intervals, by the better of one bound or two (sharply).
// Precondition: x does not exceed `most`, `most` > 0.
Polynomials rectified_products(const Polynomials& x, const exact::Integer& most,
                               const Polynomials& value, std::size_t keys, bool sharply,
                               unsigned p);

}  // namespace sinkproof::forward
