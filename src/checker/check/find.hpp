// Where a checker looks for the things a certificate names: models by their SHA-256, claims by
// their folder. What it finds is hashed, so looking in a wrong place can only fail to find.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::check {

// Bytes of the *.safetensors file with this SHA-256 in `models`, or beside the certificate.
// SP0903: there is none (the folders searched are named).
exact::Result<std::string> find_model(const std::string& sha256,
                                      const std::optional<std::filesystem::path>& models,
                                      const std::filesystem::path& certificate);

// Where models are looked for: `models`, and beside the certificate.
std::vector<std::filesystem::path> model_folders(const std::optional<std::filesystem::path>& models,
                                                 const std::filesystem::path& certificate);

// The folder proofs/<claim>: in `claims` if given, else ../proofs seen from the certificate, else
// ./proofs, else proofs/ two levels above the running program (a build tree's) or in
// ../share/sinkproof: the first place that holds anything of the claim's name. SP0904: none does.
exact::Result<std::filesystem::path> find_claim(const std::string& claim,
                                                const std::optional<std::filesystem::path>& claims,
                                                const std::filesystem::path& certificate);

}  // namespace sinkproof::check
