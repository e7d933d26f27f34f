// The producer's own look at a construction (FORMAT.md, 3.8) before it goes into a certificate:
// where check/ counts keys, this walks through sequences token by token. Costs about L^2 H
// operations on rationals.
#pragma once

#include <string>

#include "certificate/construction.hpp"
#include "exact/error.hpp"

namespace sinkproof::prove {

// Ok when every figure is what the heads give. SP0716 names each that is not, with its right value,
// ready to be put into the file.
exact::Result<void> verify(const certificate::Construction& construction, const std::string& where);

}  // namespace sinkproof::prove
