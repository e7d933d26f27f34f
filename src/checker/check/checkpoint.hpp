// Checkpoint certificates as a whole. CHECKPOINT_RULES.md, 4.7.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "certificate/rule.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

struct Verified {
  bool statistical = false;            // something holds only with a stated confidence
  std::vector<std::string> overrides;  // metadata keys that are read otherwise than the file says
  std::vector<std::string> remarks;    // what has to be said beside the bounds
};

// Verifies everything the certificate states about the model and the inputs it names, `file` of
// each; calls `once_read` where it is of the form. Throws Rejected otherwise, SP0505 of an older
// format.
Verified verify_checkpoint(const json::Value& certificate, const FileBySha256& file,
                           const std::function<void()>& once_read);

}  // namespace sinkproof::check
