// The hash of a claim: SHA-256 over the sorted list `path NUL sha256-hex LF` of the regular files
// of its folder (FORMAT.md, section 2). README.md and what coqc leaves behind do not count.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::certificate {

// Whether every character is within [A-Za-z0-9._-], as those of names in a claim's folder must be.
bool is_plain_name(std::string_view name);

// The bytes of each file that counts, by its path relative to `folder` with '/' between parts.
// SP0501: not a folder or a link to one, no file that counts, too many files, a symbolic link or
// another thing that is neither file nor folder, a name outside [A-Za-z0-9._-]. SP0201, SP0202: a
// file cannot be read.
exact::Result<std::map<std::string, std::string>> claim_files(const std::filesystem::path& folder);

// The hash of files read before, and of a folder (errors as above).
std::string claim_hash(const std::map<std::string, std::string>& files);
exact::Result<std::string> claim_hash(const std::filesystem::path& folder);

}  // namespace sinkproof::certificate
