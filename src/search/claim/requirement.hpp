// A threshold on a property of a checkpoint, as given to `certify --require`, in sinkproof.toml and
// in a claim.toml: "sup-loss<=0.02", "bos-floor.pre>=0.9", "sink-share in [0.5,1]".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

// The requirements on single properties that a requirement stands for; all of them have to hold.
// `known` lists the properties there are bounds of (names "theorem.*" are passed over), for
// sequences of this length.
//   * A known name stands for itself.
//   * A name without an ending stands for all rows, with the same bounds: "bos-floor>=0.9" for
//     "bos-floor.pre>=0.9", "bos-floor.trigger>=0.9" and, from length 4, "bos-floor.post>=0.9". It
//     never stands for some of the rows.
//   * "bos-attention" and "null-attention", with or without an ending, is what every head pays at
//     every row: at least 0.2 asks it of the floor, at most 0.9 of the ceiling, an interval both.
//     "In [0.2,0.9]" of "bos-attention.pre" is "bos-floor.pre>=0.2" and "bos-ceiling.pre<=0.9".
//   * Where "margin.least" is known, "margin" is likewise that and "margin.greatest": the least of
//     all sequences has to be large enough, and the greatest small enough.
// The texts stay as written. SP1302: no property it stands for is known; SP1314: a name without an
// ending, and not known at all rows. `where` as above.
exact::Result<std::vector<Requirement>> expand(const Requirement& requirement,
                                               const std::vector<std::string>& known,
                                               std::size_t length, const std::string& where);

// What an enclosure [lower, upper] of the property decides: kProved when it lies within the
// requirement, kRefuted when it lies outside (the bound or its witness shows it), else kUnknown;
// kUnknown too when a side is not known that would be needed.
Verdict decide(const Requirement& requirement, const std::optional<exact::Rational>& lower,
               const std::optional<exact::Rational>& upper);

// Whether it is the lower bound that refutes it; else, of a refuted one, it is the upper.
bool refuted_from_below(const Requirement& requirement,
                        const std::optional<exact::Rational>& lower);

// Whether an input attains the lower (or the upper) bound of a property of this name: the lower one
// of losses and ceilings, the upper one of floors.
bool is_attained(const std::string& property, bool lower);

// Where an input attains it: "attained in row 8, coordinate 2, trigger at position 8", of losses
// with the coordinate. Rows and positions from 1, coordinates from 0.
std::string attained_words(const std::string& property, std::size_t row, std::size_t coordinate,
                           std::size_t trigger);

}  // namespace sinkproof::claim
