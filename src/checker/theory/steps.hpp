// The rules of a theory certificate's steps that say all that is needed (FORMAT.md, section 3,
// states each as a formula). Each returns if and only if the step holds, within the budget, and
// otherwise throws Rejected at `where`.
#pragma once

#include <string>

#include "certificate/step.hpp"

namespace sinkproof::check {

// 3.3. SP0804: the identity does not hold. SP0805: a multiplier has a sign or a factor the rule
// does not allow. SP0806: the witness violates a hypothesis. SP0504: a product is too large.
void check_exactly(const certificate::Implication& step, const std::string& where);
// 3.4. SP0804 names the first identity that does not hold.
void check_exactly(const certificate::Identities& step, const std::string& where);
// 3.8. SP0809 names the first figure that is wrong.
void check_exactly(const certificate::Construction& step, const std::string& where);

}  // namespace sinkproof::check
