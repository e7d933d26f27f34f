// The producer's own look at a construction (FORMAT.md, 3.8) before it goes into a certificate:
// where check/ counts keys, this walks through sequences token by token. Costs about L^2 H
// operations on rationals.
#pragma once

#include <string>

#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::prove {

// Ok when every figure of `content` ({"statement"}, a NAME.construction.json) is what its heads
// give. SP0716 names each figure that is not, with its right value, ready to be put into the file.
// Reading errors as in certificate/construction.hpp.
exact::Result<void> verify_construction(const json::Value& content, const std::string& where);

}  // namespace sinkproof::prove
