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
  std::string epsilon;  // of sink-share, as the position is
  std::optional<std::size_t> position;

  [[nodiscard]] bool asks_for_sink_share() const;
};

// All but the common ones.
void add_measure_options(const Command& command, MeasureArguments& arguments);

// SP1507, SP1508: two options that contradict each other, or one that needs another.
exact::Result<void> check_combination(const MeasureArguments& arguments);

}  // namespace sinkproof::cli
