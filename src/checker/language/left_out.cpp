// In place of the room's rules where they are left out of the checker.
#include "certificate/rule.hpp"
#include "language/check.hpp"
#include "language/cover_check.hpp"

namespace sinkproof::check {

LanguageVerified verify_language(const json::Value&, const std::vector<std::filesystem::path>&,
                                 const std::filesystem::path&) {
  refuse_left_out("language");
}

LanguageVerified verify_cover(const json::Value&, const std::vector<std::filesystem::path>&,
                              const std::filesystem::path&) {
  refuse_left_out("language");
}

}  // namespace sinkproof::check
