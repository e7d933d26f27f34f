// A threshold on a property, as given to `certify --require`: "sup-loss<=0.02",
// "bos-floor.pre>=0.9".
#pragma once

#include <string>

#include "certify/certify.hpp"
#include "exact/error.hpp"

namespace sinkproof::cli {

struct Requirement {
  std::string property;
  bool at_most = true;        // "<=" or ">="
  exact::Rational threshold;  // exact value of the decimal text
  std::string text;
};

// SP1302 unless the text is NAME<=DECIMAL or NAME>=DECIMAL.
exact::Result<Requirement> parse_requirement(const std::string& text);

// "proved" when the enclosure lies on the right side of the threshold, "refuted" when it lies
// beyond it (the witness shows it, or the bound does), else "unknown".
std::string decide(const Requirement& requirement, const certify::Property& property);

}  // namespace sinkproof::cli
