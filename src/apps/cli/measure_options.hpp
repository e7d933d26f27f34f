// The options of `sinkproof measure`, and which of them go together.
#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/console.hpp"
#include "exact/error.hpp"
#include "measure/targets.hpp"

namespace sinkproof::cli {

struct MeasureArguments {
  Common common;
  measure::RunRequest request;
  std::string output;
  std::optional<std::string> claims;
};

// All but the common ones.
void add_measure_options(const Command& command, MeasureArguments& arguments);

// How the metadata of a model are to be read: heads, attention, scale.
void add_reading(const Command& command, measure::RunRequest& request);
// Which sequences a model reads: --tokens, --random, --seed, --length.
void add_sequences(const Command& command, measure::RunRequest& request);

// SP1508: two options that contradict each other, or one that
// needs another.
exact::Result<void> check_combination(const MeasureArguments& arguments);

}  // namespace sinkproof::cli
