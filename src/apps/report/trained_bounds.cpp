#include "report/trained_bounds.hpp"

#include <fmt/format.h>

#include "rounded/decimal.hpp"

namespace sinkproof::report {

using exact::Rational;

TrainedBounds trained_bounds(const Checkpoint& checkpoint) {
  TrainedBounds bounds;
  for (const Bound& bound : checkpoint.bounds) {
    if (bound.name == "sup-loss") bounds.loss = bound.upper;
    if (bound.name == "bos-floor.pre") bounds.floor = bound.lower;
    if (bound.name == "bos-ceiling.pre") bounds.ceiling = bound.upper;
    if (bound.name == "null-floor.pre") bounds.null_floor = bound.lower;
    if (bound.name == "null-ceiling.pre") bounds.null_ceiling = bound.upper;
  }
  return bounds;
}

std::string range_text(const std::optional<Rational>& floor, const std::optional<Rational>& ceiling,
                       unsigned digits, const std::string& at_least, const std::string& at_most) {
  if (floor && ceiling) {
    return fmt::format("in [{}, {}]", rounded::decimal_down(*floor, digits),
                       rounded::decimal_up(*ceiling, digits));
  }
  if (floor) return at_least + " " + rounded::decimal_down(*floor, digits);
  if (ceiling) return at_most + " " + rounded::decimal_up(*ceiling, digits);
  return "";
}

}  // namespace sinkproof::report
