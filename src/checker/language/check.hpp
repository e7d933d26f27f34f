// What a language model computes on given token ids. LANGUAGE_RULES.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "json/strict.hpp"

namespace sinkproof::check {

// What is printed with the verdict, in this order: of a cover how many sequences are right, wrong
// and undecided; language::Model::remarks, which a reader must not miss; language::Model::scope.
struct LanguageVerified {
  std::string counts, remarks, scope;
};

// Verifies everything a language certificate states about the model whose files are exactly those
// stated: one of `roots` or a folder in one, the first that is a model. Throws Rejected otherwise;
// SP0903, exit code 2, if none is (it names those searched and `file`, the certificate's).
LanguageVerified verify_language(const json::Value& certificate,
                                 const std::vector<std::filesystem::path>& roots,
                                 const std::filesystem::path& file);

}  // namespace sinkproof::check
