// What sinkproof.toml asks for, one item for each claim and model, before anything is decided.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "ci/summary.hpp"
#include "exact/error.hpp"
#include "gate/checkpoint_item.hpp"
#include "gate/config.hpp"
#include "gate/lock.hpp"
#include "gate/model_item.hpp"
#include "gate/theory_item.hpp"

namespace sinkproof::gate {

// A theory claim, or a checkpoint or language model with its requirements.
struct Item {
  ItemName name;  // in sinkproof.lock
  std::optional<TheoryItem> theory;
  std::optional<CheckpointRequest> checkpoint;
  std::optional<ModelRequest> model;
  std::vector<ci::Finding> findings;              // one; of models one for each requirement
  std::vector<std::filesystem::path> depends_on;  // files and folders
  std::vector<std::filesystem::path> if_any;      // the same, which need not be there
  bool shipped = false;                           // one of sinkproof's own theorems

  // What is asked of a model of either kind; null of a theory claim.
  Request* request() {
    if (checkpoint) return &*checkpoint;
    return model ? &*model : nullptr;
  }
};

// Where the gate runs.
struct Place {
  std::filesystem::path root;    // of the repository
  std::string config_name;       // sinkproof.toml, seen from the root
  std::filesystem::path output;  // the folder for what the gate writes
};

// An error of sinkproof.toml and its line there.
struct ConfigProblem {
  exact::Error error;
  std::size_t line = 1;
};

// The claims its patterns mean, its checkpoints and its models, with blank findings. SP1703,
// SP1719: a pattern matches nothing, a claim is lost, sinkproof's own theorems are not to be found
// (selection.hpp, repository.hpp). SP1702: what is made anew would not lie below
// <output>/renewed, or over a committed file, or over another; or a certificate is none of the
// repository's files.
tl::expected<std::vector<Item>, ConfigProblem> collect_items(const Config& config,
                                                             const Place& place);

}  // namespace sinkproof::gate
