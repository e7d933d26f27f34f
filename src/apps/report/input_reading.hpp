// A certificate file as the page takes it: what the trusted checker says of it, and the file it is
// about, if that is at hand.
#pragma once

#include <filesystem>

#include "check/check.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// Whatever is at `path`; the outcome says when it is not a certificate. The model or the vectors
// are looked for by their SHA-256 among the checkpoints of options.models, then beside the
// certificate; a language model's config.json in the folders there, too. Texts of properties that
// options.claims does not have are looked for as check::find_claim does.
Input read_input(const std::filesystem::path& path, check::Options options);

}  // namespace sinkproof::report
