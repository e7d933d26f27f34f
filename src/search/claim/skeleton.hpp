// A new claim's folder, for somebody who has a claim and has never written one: claim.toml,
// evidence and a README that walks through the four steps. Every skeleton is complete but for one
// mistake, which the README corrects: so the first run shows what an error looks like and where it
// points.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::claim {

// "identity", "implication", "smt", "construction", "checkpoint".
std::vector<std::string> skeleton_kinds();

// Writes proofs/<id>, all of it or nothing, and returns the names of its files, sorted. `proofs` is
// created when it is absent. SP1310: `id` is not claim's id, or one of the folders with a meaning
// of their own (theory, checkpoint, vectors). SP1311: something of that name is there; it is left
// as it is. SP1312: no such kind. SP1313: the folder cannot be written.
exact::Result<std::vector<std::string>> write_skeleton(const std::filesystem::path& proofs,
                                                       const std::string& id,
                                                       std::string_view kind);

}  // namespace sinkproof::claim
