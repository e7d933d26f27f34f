// Where the texts are that say what the properties of checkpoints and vectors mean. A user's own
// repository has a folder proofs/ without them; they come with the program then.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace sinkproof::accept {

// `proofs` when it holds the folder `claim` ("checkpoint", "vectors"); nothing otherwise, with
// which check::find_claim looks beside the certificate and beside the program.
inline std::optional<std::filesystem::path> claims_folder(const std::filesystem::path& proofs,
                                                          const std::string& claim) {
  std::error_code ignored;
  if (std::filesystem::is_directory(proofs / claim, ignored)) return proofs;
  return std::nullopt;
}

}  // namespace sinkproof::accept
