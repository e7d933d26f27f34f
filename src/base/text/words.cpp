#include "text/words.hpp"

#include <algorithm>
#include <numeric>

namespace sinkproof::text {
namespace {

// Levenshtein's distance, a row of his table at a time.
std::size_t distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : from) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t exchanged = diagonal + (letter == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string counted(std::size_t number, std::string_view one, std::string_view many) {
  std::string text = std::to_string(number) + ' ';
  if (number == 1) return text.append(one);
  return many.empty() ? text.append(one).append("s") : text.append(many);
}

std::string nearest(const std::string& typed, const std::vector<std::string>& words) {
  std::string found;
  std::size_t least = typed.size() / 3 + 1;
  for (const std::string& word : words) {
    const std::size_t far = distance(typed, word);
    if (far >= least) continue;
    least = far;
    found = word;
  }
  return found;
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& words) {
  const std::string meant = nearest(typed, words);
  return meant.empty() ? "" : "; did you mean '" + meant + "'?";
}

}  // namespace sinkproof::text
