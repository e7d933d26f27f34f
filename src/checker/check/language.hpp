// What a language model computes on given token ids. LANGUAGE_RULES.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "certificate/language.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language/folder.hpp"

namespace sinkproof::check {

// The folder whose files are exactly those stated: `models`, a folder in it, or that of the
// certificate or one in that; the first that is a model. SP0903: there is none (those searched are
// named). Throws Rejected, of the errors of language::open_folder, where the files are these and no
// model.
exact::Result<std::unique_ptr<language::Folder>> find_language_model(
    const certificate::Language& stated, const std::optional<std::filesystem::path>& models,
    const std::filesystem::path& certificate);

// All statements hold. Throws Rejected otherwise.
void verify_language(const certificate::Language& stated, const language::Folder& model);

}  // namespace sinkproof::check
