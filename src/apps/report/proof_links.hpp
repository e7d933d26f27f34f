// Links from the page to the proofs: the README and the files of a claim's folder. A link is
// written only to a file that is there, in the very folder the certificate names by its hash;
// everywhere else the page says the file's name and no more.
//
// Where the links lead is the base: by default the path from the page to the folder of claims, so
// that the page works from disk and, published beside that folder, on a site; or whatever the
// caller says ("../proofs", "https://example.org/sinkproof/proofs"). No base, no links.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "report/input.hpp"

namespace sinkproof::report {

// The path from the page to the folder of claims as a relative URL, when both lie within `from`
// (the folder the program runs in): a path that leaves it would put names of the machine's folders
// on the page, and nothing says that it still holds when the page is moved. The paths may be
// relative to `from`; the claims must be a folder that exists.
std::optional<std::string> relative_proof_base(const std::filesystem::path& page,
                                               const std::filesystem::path& claims,
                                               const std::filesystem::path& from);

// True for an http or https URL and for a relative or site-absolute one, of characters a URL may
// have; no other scheme, no other host without a scheme.
bool is_proof_base(const std::string& base);

// The file of a claim's folder as a link around `label` (markup), or `label` alone. `named`: the
// folder is the one the certificate was made for.
std::string proof_link(const Options& options, const std::string& claim, const std::string& file,
                       bool named, const std::string& label);

}  // namespace sinkproof::report
