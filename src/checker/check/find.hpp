// Where a checker looks for the things a certificate names: models by their SHA-256, claims by
// their folder. What it finds is hashed, so looking in a wrong place can only fail to find.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::check {

// The bytes of the file with this SHA-256; throws Rejected where there is none.
using FileBySha256 = std::function<std::string(const std::string& sha256)>;

// Bytes of the *.safetensors file with this SHA-256 in `models`, or beside the certificate.
// SP0903: there is none (the folders searched are named).
exact::Result<std::string> find_model(const std::string& sha256,
                                      const std::optional<std::filesystem::path>& models,
                                      const std::filesystem::path& certificate);

// Where models are looked for: `models`, and beside the certificate. And what is in a folder.
std::vector<std::filesystem::path> model_folders(const std::optional<std::filesystem::path>& models,
                                                 const std::filesystem::path& certificate);
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

// The folder proofs/<claim>: in `claims` if given, else ../proofs seen from the certificate, else
// ./proofs, else proofs/ two levels above the running program (a build tree's) or in
// ../share/sinkproof. SP0904: none of them exists.
exact::Result<std::filesystem::path> find_claim(const std::string& claim,
                                                const std::optional<std::filesystem::path>& claims,
                                                const std::filesystem::path& certificate);

}  // namespace sinkproof::check
