#include "certificate/beside_bounds.hpp"

#include <algorithm>

namespace sinkproof::certificate {

std::string overrides_text(const std::vector<std::string>& keys) {
  if (keys.empty()) return "";
  std::string list;
  for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + key;
  return "reads " + list + " otherwise than the model file's metadata";
}

std::string scale_text(const exact::Rational& scale) {
  return scale == 1 ? "logits unscaled" : "logits scaled by " + exact::to_string(scale);
}

std::string reading_text(const std::vector<std::string>& keys, const exact::Rational& scale) {
  std::string overridden = overrides_text(keys);
  if (scale == 1) return overridden;
  return overridden + (overridden.empty() ? "" : "; ") + scale_text(scale);
}

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
