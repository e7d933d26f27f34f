// A claim about one checkpoint: the table [checkpoint] of a claim.toml, which stands where other
// claims have their steps. It names a model and thresholds that certified bounds of the model have
// to meet, for all inputs of the task; the gate asks the same of the checkpoints of sinkproof.toml.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "claim/requirement.hpp"

namespace sinkproof::claim {

struct CheckpointClaim {
  std::filesystem::path model;  // as a program opens it
  std::string sha256;           // the model's, 64 hexadecimal digits; "" when none is pinned
  // What is stated against the checkpoint's own metadata; none ("") for its own.
  std::optional<std::size_t> length;  // of the sequences
  std::string attention;              // of CHECKPOINT_RULES.md, 4.2
  std::optional<std::size_t> num_heads;
  std::optional<std::size_t> num_layers;
  std::optional<bool> residual;
  bool any_model = false;  // sha256 = "any": sinkproof.lock does not pin the model either
  std::string scale;       // of logits, as `certify --scale` has it; "" for its own
  std::string box;         // of the noise, as `certify --box` has it; "" for the task's own
  std::vector<Requirement> require;  // as written, not expanded; at least one
};

}  // namespace sinkproof::claim
