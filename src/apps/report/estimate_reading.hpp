// What `sinkproof audit --format json` printed, for the page: estimates, which no checker saw.
// docs/MANY_SEQUENCES.md and docs/COMMANDS.md describe the JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "json/strict.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// SHA-256 of the JSON without its "digest": it tells an edited file from one that audit printed. It
// does not tell who printed it.
std::string estimate_digest(json::Value printed);

// The estimates of a file, one for each model; nothing where it is none, which is for the checker
// to say more of. Where a file says that it is one, but was edited (SP1207) or is not of the form
// (SP1208), one input whose outcome is that error.
std::optional<std::vector<Input>> read_estimates(const std::filesystem::path& path);

}  // namespace sinkproof::report
