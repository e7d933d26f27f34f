// Thresholds of the sink metric of docs/THEORY.md, em-1.
#pragma once

#include <string>

#include "exact/error.hpp"
#include "exact/rational.hpp"

namespace sinkproof::cli {

// The number --epsilon says; SP1509: it says none, or one that is not above 0 and at most 1.
exact::Result<exact::Rational> sink_threshold(const std::string& text);

}  // namespace sinkproof::cli
