// Rule `polynomial-identity`: both sides expand to the same polynomial over Q, hence are equal at
// every real point. Costs one expansion of each side.
#pragma once

#include <string>

#include "certificate/work.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// Ok when every identity of `statement` holds. SP0804 names the first that does not; the reading
// errors of certificate::read_identities.
exact::Result<void> check_polynomial_identity(const json::Value& statement, certificate::Work& work,
                                              const std::string& where);

}  // namespace sinkproof::check
