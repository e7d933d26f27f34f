// The options of `sinkproof measure`, and which of them go together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "exact/error.hpp"
#include "measure/targets.hpp"

namespace sinkproof::cli {

struct MeasureArguments {
  Common common;
  std::vector<std::string> inputs;  // several are language models' folders
  measure::RunRequest request;      // about the first
  std::string output;
  std::optional<std::string> claims;
  std::string epsilon;  // of sink-share and of folders, as the position is
  std::optional<std::size_t> position;
  std::vector<std::string> evict;           // these eight of folders
  std::vector<std::string> assume_neutral;  // keys of config.json
  std::vector<std::string> ablate;
  std::string save_attention;
  std::string save_logits;
  bool rigorous = false;
  std::string text;  // a file
  std::string bos;   // "with" or "without"

  [[nodiscard]] bool encloses() const { return rigorous || !output.empty(); }

  [[nodiscard]] bool asks_for_sink_share() const;
};

// All but the common ones.
void add_measure_options(const Command& command, MeasureArguments& arguments);

// Of a file, not a folder. SP1507, SP1508: two options that contradict each other, or one that
// needs another.
exact::Result<void> check_combination(const MeasureArguments& arguments);

}  // namespace sinkproof::cli
