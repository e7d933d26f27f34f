// Checkpoint certificates as a whole. CHECKPOINT_RULES.md, 4.7.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attention/given.hpp"
#include "certificate/checkpoint.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

struct Verified {
  std::vector<std::string> claims;  // tc-1, ...: whose truth the theorem entries rest on
  bool statistical = false;         // something holds only with a stated confidence
};

// Verifies everything `value`, read as `stated`, states about the model in `model_bytes` (whose
// SHA-256 is known to match); throws Rejected otherwise.
Verified verify_checkpoint(const json::Value& value, const certificate::Checkpoint& stated,
                           std::string_view model_bytes, const FileBySha256& file);

}  // namespace sinkproof::check
