#include "certificate/beside_bounds.hpp"

#include <algorithm>

namespace sinkproof::certificate {
namespace {

constexpr std::size_t kFirstTrigger = 3;  // its least position

}  // namespace

std::string overrides_text(const std::vector<std::string>& keys) {
  if (keys.empty()) return "";
  std::string list;
  for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + key;
  return "overrides the model file's metadata: " + list;
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

std::vector<std::string> restrictions(const Checkpoint& checkpoint) {
  std::vector<std::string> all;
  if (!checkpoint.over_box) return all;
  const std::size_t first = checkpoint.first_trigger, last = checkpoint.last_trigger;
  if (first != kFirstTrigger || last != checkpoint.length) {
    all.push_back("the trigger at " + std::to_string(first) +
                  (first == last ? "" : " to " + std::to_string(last)));
  }
  const auto& box = checkpoint.box.intervals;
  if (box.size() > 1) {
    all.emplace_back("noise in an interval for each coordinate");
  } else if (box[0].least != -1 || box[0].greatest != 1) {
    all.push_back("noise in [" + exact::to_string(box[0].least) + "," +
                  exact::to_string(box[0].greatest) + "]");
  }
  return all;
}

std::string inputs_text(const Checkpoint& checkpoint) {
  std::string text;
  for (const std::string& one : restrictions(checkpoint)) {
    text += (text.empty() ? "only for " : "; only for ") + one;
  }
  return text;
}

std::string lengths_text(std::size_t first_trigger, std::size_t length) {
  if (first_trigger == length) return "";
  const std::string from =
      first_trigger == kFirstTrigger ? "up" : "from " + std::to_string(first_trigger);
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
