// Softmax: the loss at rows of content queries (before and after the trigger), and the BOS
// or null slot's share at all rows, of every head of a softmax kind.
//
// With s = +-1 and a bound eta to prove for coordinate r, multiply s*out_r <= eta by the softmax
// denominator over exp(BOS logit):
//   (s v_bos - eta) + sum_keys exp(logit - BOS logit) (s v(key) - eta) <= 0.
// Each key's term is at most (1/lambda) exp(logit - BOS logit + lambda (s v(key) - eta) - 1) for
// any lambda > 0 (x <= exp(lambda x - 1) / lambda), whose exponent is affine in the key's noise:
// its maximum is a sign form in the query's noise u. The longest row is the worst, as all terms are
// positive.
#pragma once

#include <optional>

#include "certify/layer.hpp"
#include "certify/proof.hpp"
#include "certify/row_class.hpp"
#include "certify/row_problem.hpp"

namespace sinkproof::certify {

// Smallest provable bound on the loss at these rows, at or above `attained` (an estimate of what a
// witness attains); nothing, if none below `most` is found. rows: kPre, or kPost with length >= 4.
std::optional<Proof> bound_softmax_row_loss(const Head& head, RowClass rows, double attained,
                                            const std::optional<exact::Rational>& most,
                                            const Effort& effort);

// Largest provable floor of the attention every head pays to the slot over these rows (position >=
// 2), at or below `attained`. rows: any, kPost with length >= 4. Precondition: a softmax kind.
Proof bound_softmax_floor(const Layer& layer, RowClass rows, Slot slot, double attained,
                          const Effort& effort);

}  // namespace sinkproof::certify
