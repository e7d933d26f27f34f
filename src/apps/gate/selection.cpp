#include "gate/selection.hpp"

#include <fnmatch.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "claim/claim.hpp"

namespace sinkproof::gate {

namespace {

namespace fs = std::filesystem;

// Whether a folder without a claim.toml that can be read was a claim: a link that leads nowhere, a
// folder that may not be entered, a certificate that is left.
bool was_a_claim(const fs::directory_entry& entry, const ClaimGroup& group) {
  std::error_code error;
  if (entry.is_symlink(error) && !fs::exists(entry.path(), error)) return true;
  if (!entry.is_directory(error)) return false;
  const fs::file_type toml = fs::symlink_status(entry.path() / "claim.toml", error).type();
  if (toml != fs::file_type::not_found) return true;
  const std::string id = entry.path().filename().string();
  return id != "theory" && fs::exists(group.certificates / (id + ".json"), error);
}

// The claims, and what was one: asked for like the others, and found wanting when it is read.
exact::Result<std::set<std::string>> claims_of(const ClaimGroup& group, const std::string& where) {
  const auto ids = claim::list_claims(group.proofs);
  if (!ids) return exact::fail("SP1703", where, "no claims in " + group.proofs.string());
  std::set<std::string> all(ids->begin(), ids->end());
  std::error_code error;
  for (fs::directory_iterator entry(group.proofs, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && was_a_claim(*entry, group)) all.insert(name);
  }
  if (error) return exact::fail("SP1703", where, "cannot list " + group.proofs.string());
  return all;
}

}  // namespace

exact::Result<std::vector<std::string>> matching_claims(const ClaimGroup& group,
                                                        const std::string& where) {
  const auto ids = claims_of(group, where);
  if (!ids) return tl::unexpected(ids.error());
  std::set<std::string> matched;
  for (const std::string& pattern : group.match) {
    bool found = false;
    for (const std::string& id : *ids) {
      if (::fnmatch(pattern.c_str(), id.c_str(), 0) != 0) continue;
      matched.insert(id);
      found = true;
    }
    if (!found) {
      return exact::fail(
          "SP1703", where,
          "\"" + pattern.substr(0, 80) + "\" matches no claim in " + group.proofs.string());
    }
  }
  return std::vector<std::string>(matched.begin(), matched.end());
}

}  // namespace sinkproof::gate
