// The rules of a theory certificate's steps that say all that is needed (FORMAT.md, section 3,
// states each as a formula). Each returns if and only if the step holds, within the budget, and
// otherwise throws Rejected at `where`: what the reader in certificate/ says, or the code given
// here.
#pragma once

#include <string>

#include "certificate/work.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// 3.3: a polynomial (in)equality follows from others, because a positive multiple of it is a
// nonnegative combination of products of the hypotheses with squares, plus multiples of the
// equations; and the hypotheses hold somewhere. Costs one expansion of that combination. SP0804:
// the identity does not hold. SP0805: a multiplier has a sign or a factor the rule does not allow.
// SP0806: the witness violates a hypothesis.
void check_implication(const json::Value& statement, const json::Value& evidence,
                       certificate::Work& work, const std::string& where);

// 3.4: both sides expand to the same polynomial over Q, hence are equal at every real point. Costs
// one expansion of each side. SP0804 names the first identity that does not hold.
void check_polynomial_identity(const json::Value& statement, certificate::Work& work,
                               const std::string& where);

// 3.8: a one-layer attention model whose weights depend on the tokens' flags alone has exactly the
// sup loss and the attention ranges claimed, for every d_model n >= 4, because each row's output is
// affine in the noise with coefficients that depend on (query flag, counts of keys) only. Costs 3 L
// rows times the heads, in exact rationals. SP0809 names the first figure that is wrong.
void check_construction(const json::Value& statement, certificate::Work& work,
                        const std::string& where);

// VECTOR_RULES.md, 6.8: a property of the vectors written out.
void check_vectors_step(const json::Value& statement, const json::Value& evidence,
                        certificate::Work& work, const std::string& where);

}  // namespace sinkproof::check
