// What a language model computes on given token ids. LANGUAGE_RULES.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "json/strict.hpp"

namespace sinkproof::check {

// Verifies everything a language certificate states about the model whose files are exactly those
// stated: one of `roots` or a folder in one, the first that is a model. Gives
// language::Model::remarks. Throws Rejected otherwise; SP0903, exit code 2, where there is no such
// folder (those searched are named, and `file`, the certificate's).
std::string verify_language(const json::Value& certificate,
                            const std::vector<std::filesystem::path>& roots,
                            const std::filesystem::path& file);

// How many sequences are right, wrong and undecided, in words; and as of verify_language.
struct CoverVerified {
  std::string counts, remarks;
};

// Everything a cover certificate states, likewise. COVER_RULES.md.
CoverVerified verify_cover(const json::Value& certificate,
                           const std::vector<std::filesystem::path>& roots,
                           const std::filesystem::path& file);

}  // namespace sinkproof::check
