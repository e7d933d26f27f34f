// Whole files out. A reader never sees half a file: writing goes to a temporary name in the same
// folder, is flushed to disk and then renamed over the target.
#pragma once

#include <filesystem>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::output {

// Replaces `path` by `bytes` or leaves it as it was. SP0203 when that cannot be done; SP0204 where
// it is an input of the command (paths.hpp).
exact::Result<void> replace(const std::filesystem::path& path, std::string_view bytes);

}  // namespace sinkproof::output
