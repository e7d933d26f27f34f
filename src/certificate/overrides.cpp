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

}  // namespace sinkproof::certificate
