// A threshold on a property of a checkpoint, as given to `certify --require`, in sinkproof.toml and
// in a claim.toml: "sup-loss<=0.02", "bos-floor.pre>=0.9", "sink-share in [0.5,1]".
#pragma once

#include <optional>
#include <string>

#include "claim/verdict.hpp"
#include "exact/error.hpp"
#include "exact/rational.hpp"

namespace sinkproof::claim {

struct Requirement {
  std::string property;
  std::optional<exact::Rational> at_least;  // exact values of the decimal texts;
  std::optional<exact::Rational> at_most;   // one of them at least is there
  std::string text;                         // as written
};

// NAME<=DECIMAL, NAME>=DECIMAL or NAME in [DECIMAL,DECIMAL], with spaces anywhere but inside a name
// or number. SP1302 otherwise, or for an interval with nothing in it; `where` names the option or
// field the text came from.
exact::Result<Requirement> parse_requirement(const std::string& text, const std::string& where);

// What an enclosure [lower, upper] of the property decides: kProved when it lies within the
// requirement, kRefuted when it lies outside (the bound or its witness shows it), else kUnknown;
// kUnknown too when a side is not known that would be needed.
Verdict decide(const Requirement& requirement, const std::optional<exact::Rational>& lower,
               const std::optional<exact::Rational>& upper);

}  // namespace sinkproof::claim
