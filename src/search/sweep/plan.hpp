// What a run into a journal is about: checkpoints, how they are read, and what is asked of them. It
// stands in the journal as plan.json, so that `sinkproof merge` knows it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "certify/certify.hpp"
#include "exact/error.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::sweep {

struct Checkpoint {
  std::string name;  // its file's, without .safetensors
  std::filesystem::path path;
  std::string sha256;
};

struct Plan {
  std::vector<Checkpoint> checkpoints;  // sorted by name
  bool is_single = false;               // one file, asked for by its name
  model::Overrides overrides;
  certify::Options search;               // what is asked; nothing of how
  std::vector<std::string> require;      // thresholds, as claim::parse_requirement reads them
  std::vector<std::string> largest_box;  // of certify_largest_box; not with a journal
};

// Files, and the *.safetensors of folders. SP1903: a folder has none, or two have one name; SP02xx.
exact::Result<std::vector<Checkpoint>> find_checkpoints(const std::vector<std::string>& paths);

// SP0203.
exact::Result<void> write_plan(const std::filesystem::path& journal, const Plan& plan);

// SP1904: there is no plan, or it is not such a file. SP02xx.
exact::Result<Plan> read_plan(const std::filesystem::path& journal);

}  // namespace sinkproof::sweep
