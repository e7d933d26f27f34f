// Rule `construction`: a one-layer attention model whose weights depend on the tokens' flags alone
// has exactly the sup loss and the attention ranges claimed, for every d_model n >= 4, because each
// row's output is affine in the noise with coefficients that depend on (query flag, counts of keys)
// only. Costs 3 L rows times the heads, in exact rationals. FORMAT.md, 3.8, states the rule.
#pragma once

#include <string>

#include "certificate/work.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

// Ok when every figure of `statement` is what its heads give. SP0809 names the first that is not.
// Reading errors as in certificate/construction.hpp.
exact::Result<void> check_construction(const json::Value& statement, certificate::Work& work,
                                       const std::string& where);

}  // namespace sinkproof::check
