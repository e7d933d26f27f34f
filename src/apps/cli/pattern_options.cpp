#include "cli/pattern_options.hpp"

namespace sinkproof::cli {

void add_pattern_options(const Command& command, measure::PatternRequest& request,
                         const std::string& when_none) {
  command.group("Pattern");
  command
      .add_option("--pattern", request.kinds,
                  "sink-A, sink-B or diagonal (default: " + when_none + ")")
      .one_of({"sink-A", "sink-B", "diagonal"})
      .one_value_each();
  command
      .add_option("--roles", request.roles,
                  "JSON: {\"bos\": 0, \"groups\": [[1, 2]], \"copies\": [3]} (default: the "
                  "metadata's, or token 0 is BOS and the others one group)")
      .path(output::Use::kReads)
      .type_name("FILE.json");
  command
      .add_option("--constraints", request.constraints,
                  "JSON: margin constraints [[query, above, below], ...] of your own")
      .path(output::Use::kReads)
      .type_name("FILE.json");
  command.add_option("--margin", request.margin, "Margin on x^T W y").capture_default_str();
}

}  // namespace sinkproof::cli
