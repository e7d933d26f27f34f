// sinkproof.toml, the gate's configuration.
#include <algorithm>

#include "gate/config.hpp"
#include "scratch.hpp"
#include "target.hpp"

using namespace sinkproof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Scratch scratch;
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto path = scratch.write("sinkproof.toml", bytes);
  std::size_t line = 0;
  const auto config = gate::load_config(path, line);
  const auto lines = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 1;
  fuzz::require(line >= 1 && line <= lines, "the line of an error is one of the file");
  if (!config) {
    fuzz::require_complete(config.error());
    return 0;
  }
  fuzz::require(!config->claims.empty() || !config->checkpoints.empty(),
                "a gate asks for something");
  for (const gate::CheckpointItem& item : config->checkpoints) {
    fuzz::require(!item.claim.require.empty() && item.lines.size() == item.claim.require.size(),
                  "a checkpoint has requirements, each with its line");
  }
  return 0;
}
