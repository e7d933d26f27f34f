// The rules of a theory certificate's steps that say all that is needed (FORMAT.md, section 3,
// states each as a formula). Each returns if and only if the step holds, within the budget, and
// otherwise throws Rejected at `where`: what the reader in certificate/ says, or the code given
// here. `evidence` is null where the rule has none.
#pragma once

#include <string>

#include "json/strict.hpp"

namespace sinkproof::check {

using StepRule = void(const json::Value& statement, const json::Value& evidence,
                      const std::string& where);

// 3.3. SP0804: the identity does not hold. SP0805: a multiplier has a sign or a factor the rule
// does not allow. SP0806: the witness violates a hypothesis.
StepRule check_implication;
StepRule check_polynomial_identity;  // 3.4. SP0804 names the first identity that does not hold.
StepRule check_construction;         // 3.8. SP0809 names the first figure that is wrong.

}  // namespace sinkproof::check
