// Reading the table [checkpoint] of a claim.toml.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <string>

#include "claim/checkpoint_claim.hpp"
#include "exact/error.hpp"

namespace sinkproof::claim {

// The keys model, sha256, length, attention, num_heads, num_layers, residual, scale, box and
// require; `model` is relative to `folder`. SP0602: a field is missing, unknown, empty or of the
// wrong type. SP0609: a field has a value it may not have. SP1302: a text of `require` is no
// threshold. All name the field; `where` is the file and the table. The model itself is not looked
// at.
exact::Result<CheckpointClaim> read_checkpoint_claim(const toml::table& table,
                                                     const std::string& where,
                                                     const std::filesystem::path& folder);

}  // namespace sinkproof::claim
