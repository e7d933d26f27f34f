#include "cli/former_names.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace sinkproof::cli {
namespace {

bool is_language_model(const std::string& word) {
  std::error_code none;
  return std::filesystem::exists(std::filesystem::path(word) / "config.json", none);
}

}  // namespace

std::vector<std::string> by_present_name(std::vector<std::string> words) {
  if (words.empty() || words.front() != "measure") return words;
  if (std::any_of(words.begin() + 1, words.end(), is_language_model)) words.front() = "audit";
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    const bool apart =
        *word == "--property" && word + 1 != words.end() && *(word + 1) == "sink-share";
    if (!apart && *word != "--property=sink-share") continue;
    words.erase(word, word + (apart ? 2 : 1));
    words.front() = "sink-share";
    break;
  }
  return words;
}

}  // namespace sinkproof::cli
