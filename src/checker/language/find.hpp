// The folder of the model that a certificate names by the hashes of its files.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "certificate/language.hpp"
#include "language/folder.hpp"

namespace sinkproof::check {

// The first folder among the roots and those in them whose files are exactly those stated, which
// are of the architecture stated. SP0903, exit code 2, if none is (it names those searched
// and `certificate`). Throws Rejected otherwise.
std::unique_ptr<language::Folder> find_language_model(
    const certificate::ModelFiles& stated, const std::vector<std::filesystem::path>& roots,
    const std::filesystem::path& certificate);

}  // namespace sinkproof::check
