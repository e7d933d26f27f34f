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
  fuzz::require(!config->claims.empty() || !config->checkpoints.empty() || !config->models.empty(),
                "a gate asks for something");
  const auto require_lines = [](const auto& require, const std::vector<std::size_t>& places) {
    fuzz::require(!require.empty() && places.size() == require.size(),
                  "a model has requirements, each with its line");
  };
  for (const gate::CheckpointItem& item : config->checkpoints) {
    require_lines(item.claim.require, item.lines);
  }
  for (const gate::ModelItem& item : config->models) require_lines(item.require, item.lines);
  return 0;
}
