// The [[variant]] tables of a claim.toml: the rows of a map of variants.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "claim/claim.hpp"
#include "exact/error.hpp"

namespace sinkproof::claim {

// The rows, in the file's order. `claim` has its steps and its folder. SP0602, SP0603 as load_claim
// says; SP0201: a Coq file of the folder cannot be read.
exact::Result<std::vector<Variant>> read_variants(const toml::array& tables, const Claim& claim,
                                                  const std::string& where);

}  // namespace sinkproof::claim
