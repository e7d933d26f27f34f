// sinkproof.toml: what a repository's continuous integration wants to hold (docs/GATE.md lists the
// fields). Only read here; gate.hpp decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "claim/checkpoint_claim.hpp"
#include "exact/error.hpp"
#include "exact/rational.hpp"

namespace sinkproof::gate {

// [[claims]]: theory claims to hold.
struct ClaimGroup {
  std::vector<std::string> match;  // ids with * and ?, at least one
  bool shipped = false;            // sinkproof's own theorems, from the folder it was installed in
  std::filesystem::path proofs;    // the folder of claim folders
  std::filesystem::path certificates;
  std::set<std::string> accept;  // of "smt", "coq", "bounded": what is taken on the certificate's
                                 // word, and "bounded" as good enough
  std::size_t line = 1;          // of the table in the file
};

// Given inputs for the requirement on `sink-share`, which no committed certificate is about.
struct ShareInputs {
  std::size_t samples = 0;  // random ones from `seed`
  std::uint64_t seed = 0;
  exact::Rational epsilon;   // a head sinks on a sample if its average attention is above this
  std::size_t position = 1;  // of the sink token, from 1
};

// [[checkpoint]]: a trained model and its thresholds.
struct CheckpointItem {
  std::string name;  // unique in the file
  claim::CheckpointClaim claim;
  std::filesystem::path certificate;
  ShareInputs share;
  std::size_t line = 1;
  std::vector<std::size_t> lines;  // of each requirement
};

// [[model]]: a language model, the sequences it is asked about, and thresholds on what it does.
struct ModelItem {
  std::string name;                         // unique among the models of the file
  std::filesystem::path folder;             // of config.json and the weights
  std::vector<std::string> assume_neutral;  // keys of config.json
  bool any_model = false;                   // files = "any": sinkproof.lock does not pin them
  std::vector<std::string> positions;       // these three as `sinkproof cover` reads them
  std::string answers = "any";
  std::string target;
  std::filesystem::path table;  // that the target names, as a program opens it; or ""
  double seconds = 0;           // for a new certificate; 0: no budget
  std::filesystem::path certificate;
  std::vector<claim::Requirement> require;  // at least one
  std::size_t line = 1;
  std::vector<std::size_t> lines;  // of each requirement
};

struct Config {
  std::filesystem::path file;
  std::filesystem::path folder;                     // that all its paths are relative to
  bool stale_fails = false;                         // stale = "fail"
  bool verified = false;                            // checker = "verified"
  check::Limits limits;                             // of the check of a committed certificate
  std::filesystem::path output = "sinkproof-gate";  // relative to the folder, without ".."
  std::vector<ClaimGroup> claims;
  std::vector<CheckpointItem> checkpoints;
  std::vector<ModelItem> models;
};

// SP0201, SP0202: the file cannot be read. SP1701: no TOML (line and column are named). SP1702: a
// field is missing, unknown, of the wrong type or contradicts another. SP1302: a requirement is
// none. SP1703: no [[claims]], [[checkpoint]] or [[model]], or an empty list: a gate that asks for
// nothing would always be green. `line` gets the line of the error.
exact::Result<Config> load_config(const std::filesystem::path& path, std::size_t& line);

}  // namespace sinkproof::gate
