#include "cli/misspelt.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <numeric>

#include "text/printable.hpp"

namespace sinkproof::cli {
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

// The word with the fewest letters to insert, delete or exchange, the first of several; "" when
// that is more than a third of the letters typed.
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

// The message about a first word that is not a command; "" when it is one, or an option.
std::string unknown_verb(const CLI::App& parser, const std::string& typed) {
  if (typed.empty() || typed.front() == '-') return "";
  std::vector<std::string> verbs;
  for (const CLI::App* verb : parser.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
    if (verb->check_name(typed)) return "";
  }
  return "unknown command '" + typed + "'" + did_you_mean(typed, verbs);
}

// The message about an option that the command does not have; "" when there is none.
std::string unknown_option(const CLI::App& parser, const std::vector<std::string>& words) {
  for (const CLI::App* verb : parser.get_subcommands()) {
    std::vector<std::string> known;
    for (const CLI::Option* option : verb->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    for (const std::string& word : words) {
      const std::string name = word.substr(0, word.find('='));
      const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
      if (!name.starts_with("--") || name.size() == 2 || is_known) continue;
      return "unknown option '" + name + "' of " + verb->get_name() + did_you_mean(name, known);
    }
  }
  return "";
}

}  // namespace

std::string misspelt(const CLI::App& parser, const std::vector<std::string>& words) {
  if (words.empty()) return "";
  const std::string verb = unknown_verb(parser, words.front());
  return text::one_line(verb.empty() ? unknown_option(parser, words) : verb);
}

}  // namespace sinkproof::cli
