// The producer's own look at an implication or identity before it goes into a certificate. Written
// apart from check/, which must not be believed by those it checks.
#pragma once

#include <string>

#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::prove {

// Ok when the multipliers in `content` ({"statement", "evidence"} and perhaps "solvers", a
// NAME.implication.json) prove its statement; when the identities in `content` ({"statement"}, a
// NAME.identity.json) hold.
// SP0714 says what fails; reading errors SP0101, SP0503, SP0504.
exact::Result<void> verify_implication(const json::Value& content, const std::string& where);
exact::Result<void> verify_identities(const json::Value& content, const std::string& where);

}  // namespace sinkproof::prove
