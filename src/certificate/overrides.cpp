#include "certificate/overrides.hpp"

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
  const std::string overridden = overrides_text(keys);
  if (scale == 1) return overridden;
  return overridden + (overridden.empty() ? "" : "; ") + scale_text(scale);
}

}  // namespace sinkproof::certificate
