#include "cli/misspelt.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>

#include "cli/command_text.hpp"
#include "text/printable.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

// The message about a first word that is not a command; "" when it is one, or an option.
std::string unknown_verb(const CLI::App& parser, const std::string& typed) {
  if (typed.empty() || typed.front() == '-') return "";
  std::vector<std::string> verbs;
  for (const CLI::App* verb : parser.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
    if (verb->check_name(typed)) return "";
  }
  return "unknown command '" + typed + "'" + text::did_you_mean(typed, verbs);
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
      return "unknown option '" + name + "' of " + verb->get_name() +
             text::did_you_mean(name, known);
    }
  }
  return "";
}

}  // namespace

std::string missing(const CLI::App& parser) {
  const auto chosen = parser.get_subcommands();
  if (chosen.empty()) return "no command is given; name one of those that `sinkproof --help` lists";
  const CommandText text = command_text(Command(*chosen.front()));
  for (const auto& options : {text.positionals, text.options}) {
    for (const OptionText& option : options) {
      const std::string name = option.flags.empty() ? upper(option.name) : option.flags.back();
      if (!option.required || chosen.front()->count(option.called) > 0) continue;
      return text.name + " needs " + name + ": " + option.description;
    }
  }
  return "";
}

std::string misspelt(const CLI::App& parser, const std::vector<std::string>& words) {
  if (words.empty()) return "";
  const std::string verb = unknown_verb(parser, words.front());
  return text::one_line(verb.empty() ? unknown_option(parser, words) : verb);
}

}  // namespace sinkproof::cli
