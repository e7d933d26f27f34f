#include "cli/requirement.hpp"

#include "exact/decimal.hpp"

namespace sinkproof::cli {

exact::Result<Requirement> parse_requirement(const std::string& text) {
  const auto malformed = exact::fail("SP1302", "--require \"" + text.substr(0, 80) + "\"",
                                     "write NAME<=NUMBER or NAME>=NUMBER, such as sup-loss<=0.02");
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string::npos || sign == 0 || sign + 1 >= text.size() || text[sign + 1] != '=') {
    return malformed;
  }
  const auto threshold = exact::parse_decimal(text.substr(sign + 2));
  if (!threshold) return malformed;
  return Requirement{text.substr(0, sign), text[sign] == '<', *threshold, text};
}

std::string decide(const Requirement& requirement, const certify::Property& property) {
  if (!property.lower || !property.upper) return "unknown";
  const exact::Rational& limit = requirement.threshold;
  if (requirement.at_most) {
    if (*property.upper <= limit) return "proved";
    return *property.lower > limit ? "refuted" : "unknown";
  }
  if (*property.lower >= limit) return "proved";
  return *property.upper < limit ? "refuted" : "unknown";
}

}  // namespace sinkproof::cli
