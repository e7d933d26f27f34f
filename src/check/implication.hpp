// Rule `implication`: a polynomial (in)equality follows from others, because a positive multiple of
// it is a nonnegative combination of products of the hypotheses with squares, plus multiples of the
// equations. Costs one expansion of that combination, within the budget of the certificate.
// FORMAT.md, section 3, states the rule as a formula.
#pragma once

#include <string>

#include "certificate/work.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// Ok when `evidence` shows that the conclusion of `statement` holds wherever its hypotheses do, and
// that they do somewhere. SP0804: the identity does not hold. SP0805: a multiplier has a sign or a
// factor the rule does not allow. SP0806: the witness violates a hypothesis. Reading errors as in
// certificate/implication.hpp.
exact::Result<void> check_implication(const json::Value& statement, const json::Value& evidence,
                                      certificate::Work& work, const std::string& where);

}  // namespace sinkproof::check
