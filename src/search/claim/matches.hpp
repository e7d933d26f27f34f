// What a regular expression's first group is at each place where it matches.
#pragma once

#include <regex>
#include <string>
#include <vector>

namespace sinkproof::claim {

inline std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator next(text.begin(), text.end(), pattern), end; next != end; ++next) {
    found.push_back(next->str(1));
  }
  return found;
}

}  // namespace sinkproof::claim
