// Rule `smoothing`: the numbers whose signs decide which way a head smooths, at the mean and
// covariance of given tokens. VECTOR_RULES.md section 6.7; claims sm-1 and sm-2.
#pragma once

#include "check/vector_input.hpp"

namespace sinkproof::check {

// Throws Rejected unless the numbers computed from the input lie where the statement says.
void verify_smoothing(const json::Value& statement, const json::Value& evidence,
                      const VectorInput& input);

}  // namespace sinkproof::check
