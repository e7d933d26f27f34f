// No bound is printed that the trusted checker has not accepted. Whether it has is stated here and
// nowhere else: the commands, the gate and the page ask standing_of() what they may show of an
// outcome, and what a search has just found passes through one of the functions below it on its way
// out. prove/, certify/ and measure/ may not include check/: who calls them hands these in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::accept {

enum class Standing {
  kAccepted,    // exit 0
  kPartly,      // exit 3: holds as far as checked; some steps rest on somebody's word or are open
  kRejected,    // exit 4
  kNotChecked,  // anything else: not found, a limit reached, an error, a disagreement
};

// kAccepted and kPartly need a matching verdict too: a contradictory outcome is kNotChecked.
Standing standing_of(const check::Outcome& outcome);

// Whether the certificate's own numbers may be shown: kAccepted or kPartly.
bool shows_bounds(const check::Outcome& outcome);

// The checker's code and words (no place) unless it accepted in full. The time that this took is
// kept for slowest_check().
exact::Result<void> accepted(const check::Outcome& outcome);

// The most milliseconds of processor time of any check that accepted() was told of. Who makes a
// certificate checks it without limits, and says so where a check with the default limits
// would not get to its end.
std::uint64_t slowest_check();

// The same of certificates that are not files yet, about a model or files whose bytes are at hand.
// A statistical bound is accepted for what it is.
exact::Result<void> ask_about_checkpoint(const json::Value& certificate,
                                         const std::vector<std::string>& files);
exact::Result<void> ask_about_vectors(const json::Value& certificate,
                                      const std::vector<std::string>& files);
// About the language model in a folder.
exact::Result<void> ask_about_cover(const json::Value& certificate,
                                    const std::filesystem::path& folder);

// And of a theory certificate, whose solvers' and Coq's steps were just run: the error of one the
// checker rejects.
exact::Result<void> ask_about_theory(const json::Value& certificate,
                                     const std::filesystem::path& claim_folder);

// The hash that such a certificate has to name: of the claim ("checkpoint", "vectors") whose text
// says what its properties mean, found as check::find_claim does. Its errors.
exact::Result<std::string> claim_text_hash(const std::string& claim,
                                           const std::optional<std::filesystem::path>& claims,
                                           const std::filesystem::path& certificate);

}  // namespace sinkproof::accept
