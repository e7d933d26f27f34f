// What a language model does on every sequence of a set. COVER_RULES.md.
#pragma once

#include <filesystem>
#include <vector>

#include "json/strict.hpp"
#include "language/check.hpp"

namespace sinkproof::check {

// Verifies everything a cover certificate states about its model, as verify_language does.
LanguageVerified verify_cover(const json::Value& certificate,
                              const std::vector<std::filesystem::path>& roots,
                              const std::filesystem::path& file);

}  // namespace sinkproof::check
