// The words behind a theory certificate. A certificate holds formulas and hashes only; its
// claim.toml says in words what they mean.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "claim/claim.hpp"
#include "json/strict.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// The text under a key, if there is one.
std::optional<std::string> text_in(const json::Value& object, const std::string& key);

// The id the certificate gives, if it is one; it names a folder, so nothing else will do.
std::optional<std::string> claim_id(const json::Value& certificate);

// The claim's words, if its folder is the one the certificate was made for.
std::optional<claim::Claim> words_of(const json::Value& certificate, const Options& options);

// The certificates on the page that the checker accepted for the claim folders at hand, by id.
using AcceptedClaims = std::map<std::string, const json::Value*>;
AcceptedClaims accepted_claims(const std::vector<const Input*>& theory, const Options& options);

}  // namespace sinkproof::report
