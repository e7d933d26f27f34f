#pragma once

#include <string_view>
#include <vector>

namespace sinkproof::certificate {

// What stands before, between and after the separators, empty parts too; at least one part.
// Precondition: `separator` is not empty.
inline std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

}  // namespace sinkproof::certificate
