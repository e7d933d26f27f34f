#include "cli/completion.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cli/completion_heads.hpp"

namespace sinkproof::cli {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::vector<std::string> flags_of(const CommandText& command) {
  std::vector<std::string> flags;
  for (const OptionText& option : command.options) {
    flags.insert(flags.end(), option.flags.begin(), option.flags.end());
  }
  return flags;
}

// `text` with a backslash or what else `escape` is before each of `special`.
std::string escaped(const std::string& text, std::string_view special, std::string_view escape) {
  std::string made;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) made += escape;
    made += c;
  }
  return made;
}

// A word between single quotes of a POSIX shell.
std::string shell_quoted(const std::string& text) { return "'" + escaped(text, "'", "'\\'") + "'"; }

// What each shell offers as an argument; {} stands for the choices or the argument's name.
struct Offer {
  Argument argument;
  std::string_view bash;
  std::string_view zsh;
  std::string_view fish;
};

constexpr Offer kOffers[] = {
    {Argument::kNone, "", "", ""},
    {Argument::kText, "COMPREPLY=()", ":{}:", " -x"},
    {Argument::kNumber, "COMPREPLY=()", ":{}:", " -x"},
    {Argument::kFile, "_sinkproof_files -f", ":file:_files", " -r -F"},
    {Argument::kFolder, "_sinkproof_files -d", ":dir:_files -/",
     " -x -a '(__fish_complete_directories)'"},
    {Argument::kChoice, "_sinkproof_words '{}'", ":word:({})", " -x -a '{}'"},
    {Argument::kClaim, "_sinkproof_claims", ":id:_sinkproof_claims",
     " -x -a '(__sinkproof_claims)'"},
};

// "" for an option that takes no argument.
std::string offered(const OptionText& option, std::string_view Offer::*shell) {
  for (const Offer& offer : kOffers) {
    if (offer.argument != option.argument) continue;
    const bool choice = option.argument == Argument::kChoice;
    return fmt::format(fmt::runtime(offer.*shell),
                       choice ? joined(option.choices, " ") : option.name);
  }
  return "";
}

// ---- bash

std::string bash_positional(const CommandText& command) {
  return command.positionals.empty() ? "COMPREPLY=()"
                                     : offered(command.positionals[0], &Offer::bash);
}

// The function of one command: after an option its arguments, else options or a positional.
std::string bash_function(const std::string& name, const CommandText& command) {
  std::string text = name + "() {\n  case \"$previous\" in\n";
  for (const OptionText& option : command.options) {
    const std::string argument = offered(option, &Offer::bash);
    if (argument.empty()) continue;
    text += fmt::format("    {}) {}; return ;;\n", joined(option.flags, "|"), argument);
  }
  text += "  esac\n";
  text += fmt::format(
      "  if [[ $current == -* ]]; then\n    _sinkproof_words {}\n  else\n    {}\n  fi\n}}\n\n",
      shell_quoted(joined(flags_of(command), " ")), bash_positional(command));
  return text;
}

std::string function_name(const CommandText& verb) {
  std::string name = "_sinkproof_verb_" + verb.name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

// ---- zsh

// One specification of _arguments for each way to write an option.
std::string zsh_option(const OptionText& option) {
  std::string text;
  for (const std::string& flag : option.flags) {
    const std::string spec = (option.repeated ? "*" : "") + flag + "[" +
                             escaped(option.description, "[]:\\", "\\") + "]" +
                             offered(option, &Offer::zsh);
    text += " \\\n    " + shell_quoted(spec);
  }
  return text;
}

std::string zsh_function(const std::string& name, const CommandText& command) {
  std::string text = name + "() {\n  _arguments -s";
  for (const OptionText& option : command.options) text += zsh_option(option);
  for (const OptionText& option : command.positionals) {
    text += " \\\n    " + shell_quoted((option.repeated ? "*" : "") + offered(option, &Offer::zsh));
  }
  return text + "\n}\n\n";
}

// ---- fish

std::string fish_quoted(const std::string& text) { return "'" + escaped(text, "'\\", "\\") + "'"; }

std::string fish_option(const std::string& beginning, const OptionText& option) {
  std::string names;
  for (const std::string& flag : option.flags) {
    names += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
  }
  return beginning + names + offered(option, &Offer::fish) + " -d " +
         fish_quoted(option.description) + "\n";
}

std::string fish_options(const std::string& beginning, const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) text += fish_option(beginning, option);
  if (!command.positionals.empty() && command.positionals[0].argument == Argument::kClaim) {
    text += beginning + " -f -a '(__sinkproof_claims)'\n";
  }
  return text;
}

// Their names.
std::string checkers() {
  std::string names = "sinkproof-check";
  for (const OtherChecker& other : kOtherCheckers) names += " " + std::string(other.name);
  return names;
}

}  // namespace

std::string bash_completion(const CompletedProgram& program) {
  std::string text(kBashHead);
  std::string cases;
  std::string first;
  for (const CommandText& verb : program.verbs) {
    first += verb.name + " ";
    text += bash_function(function_name(verb), verb);
    cases += fmt::format("    {}) {} ;;\n", verb.name, function_name(verb));
  }
  first += joined(flags_of(program.program), " ");
  text += fmt::format(R"(_sinkproof() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  if ((COMP_CWORD == 1)); then
    _sinkproof_words {}
    return
  fi
  COMPREPLY=()
  case "${{COMP_WORDS[1]}}" in
{}  esac
}}

)",
                      shell_quoted(first), cases);
  text += bash_function("_sinkproof_checker_words", program.checker);
  text += R"(_sinkproof_checker() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  _sinkproof_checker_words
}
complete -F _sinkproof sinkproof
complete -F _sinkproof_checker )" +
          checkers() + "\n";
  return text;
}

std::string zsh_completion(const CompletedProgram& program) {
  std::string text = "#compdef sinkproof " + checkers() + "\n" + std::string(kZshHead);
  std::string verbs;
  std::string cases;
  for (const CommandText& verb : program.verbs) {
    text += zsh_function(function_name(verb), verb);
    verbs += "\n    " + shell_quoted(verb.name + ":" + verb.description);
    cases += fmt::format("    {}) {} ;;\n", verb.name, function_name(verb));
  }
  text += zsh_function("_sinkproof_checker", program.checker);
  text += fmt::format(R"(_sinkproof() {{
  local -a verbs
  verbs=({})
  if [[ $service != sinkproof ]]; then
    _sinkproof_checker
    return
  fi
  if ((CURRENT == 2)); then
    if [[ $PREFIX == -* ]]; then
      compadd -- {}
    else
      _describe verb verbs
    fi
    return
  fi
  shift words
  ((CURRENT--))
  case "$words[1]" in
{}  esac
}}

_sinkproof "$@"
)",
                      verbs, joined(flags_of(program.program), " "), cases);
  return text;
}

std::string fish_completion(const CompletedProgram& program) {
  std::string text(kFishHead);
  text += fish_options("complete -c sinkproof -n __fish_use_subcommand", program.program);
  for (const CommandText& verb : program.verbs) {
    text += "complete -c sinkproof -f -n __fish_use_subcommand -a " + verb.name + " -d " +
            fish_quoted(verb.description) + "\n";
    text += fish_options("complete -c sinkproof -n '__fish_seen_subcommand_from " + verb.name + "'",
                         verb);
  }
  text += fish_options("complete -c sinkproof-check", program.checker);
  for (const OtherChecker& other : kOtherCheckers) {
    text += fish_options("complete -c " + std::string(other.name), program.checker);
  }
  return text;
}

}  // namespace sinkproof::cli
