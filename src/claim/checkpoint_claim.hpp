// A claim about one checkpoint: the table [checkpoint] of a claim.toml, which stands where other
// claims have their steps. It names a model and thresholds that certified bounds of the model have
// to meet, for all inputs of the task; the gate asks the same of the checkpoints of sinkproof.toml.
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "claim/requirement.hpp"
#include "exact/error.hpp"

namespace sinkproof::claim {

struct CheckpointClaim {
  std::filesystem::path model;        // as a program opens it
  std::string sha256;                 // the model's, 64 hexadecimal digits; "" for any
  std::optional<std::size_t> length;  // sequence length; none: the checkpoint's own
  std::string attention;              // of LAYER_RULES.md 5.1; "" for the checkpoint's own
  std::vector<Requirement> require;   // as written, not expanded; at least one
};

// The keys model, sha256, length, attention and require; `model` is relative to `folder`. SP0602: a
// field is missing, unknown, empty or of the wrong type. SP0609: a field has a value it may not
// have. SP1302: a text of `require` is no threshold. All name the field; `where` is the file and
// the table. The model itself is not looked at.
exact::Result<CheckpointClaim> read_checkpoint_claim(const toml::table& table,
                                                     const std::string& where,
                                                     const std::filesystem::path& folder);

}  // namespace sinkproof::claim
