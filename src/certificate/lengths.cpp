#include "certificate/lengths.hpp"

#include <algorithm>

namespace sinkproof::certificate {

bool holds_when_shorter(std::string_view name) {
  return !name.starts_with("random.") && name != "theorem.tc-2" && name != "sink-share" &&
         !name.starts_with("value.");
}

std::string lengths_text(std::size_t first_trigger, std::size_t length) {
  if (first_trigger == length) return "";
  constexpr std::size_t kFirst = 3;  // position of a trigger
  const std::string from = first_trigger == kFirst ? "up" : "from " + std::to_string(first_trigger);
  return "bounds for every length " + from + " to " + std::to_string(length);
}

std::string lengths_text(const Checkpoint& checkpoint) {
  const auto& all = checkpoint.properties;
  const bool any = std::any_of(all.begin(), all.end(), [](const Property& property) {
    return holds_when_shorter(property.name);
  });
  return any ? lengths_text(checkpoint.first_trigger, checkpoint.length) : "";
}

}  // namespace sinkproof::certificate
