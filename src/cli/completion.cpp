#include "cli/completion.hpp"

#include <fmt/format.h>

namespace sinkproof::cli {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> flags_of(const CommandText& command) {
  std::vector<std::string> flags;
  for (const OptionText& option : command.options) {
    flags.insert(flags.end(), option.flags.begin(), option.flags.end());
  }
  return flags;
}

std::vector<std::string> names_of(const std::vector<CommandText>& verbs) {
  std::vector<std::string> names;
  for (const CommandText& verb : verbs) names.push_back(verb.name);
  return names;
}

// A word between single quotes of a POSIX shell.
std::string shell_quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return made + "'";
}

// ---- bash

// What bash offers after an option that takes an argument; "" for one that takes none.
std::string bash_argument(const OptionText& option) {
  switch (option.argument) {
    case Argument::kNone:
      return "";
    case Argument::kChoice:
      return "_sinkproof_words " + shell_quoted(joined(option.choices, " "));
    case Argument::kFolder:
      return "_sinkproof_files -d";
    case Argument::kClaim:
      return "_sinkproof_claims";
    case Argument::kFile:
      return "_sinkproof_files -f";
    case Argument::kText:
    case Argument::kNumber:
      return "COMPREPLY=()";
  }
  return "";
}

std::string bash_positional(const CommandText& command) {
  return command.positionals.empty() ? "COMPREPLY=()" : bash_argument(command.positionals[0]);
}

// The function of one command: after an option its arguments, else options or a positional.
std::string bash_function(const std::string& name, const CommandText& command) {
  std::string text = name + "() {\n  case \"$previous\" in\n";
  for (const OptionText& option : command.options) {
    const std::string argument = bash_argument(option);
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

constexpr const char* kBashHead =
    R"(# bash completion of sinkproof, written by `sinkproof manual`; do not edit.
_sinkproof_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_sinkproof_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}
_sinkproof_claims() {
  local folder claim claims=""
  for folder in proofs /usr/share/sinkproof/proofs /usr/local/share/sinkproof/proofs; do
    [[ -d $folder ]] || continue
    for claim in "$folder"/*/claim.toml; do
      claim=${claim%/claim.toml}
      claims+=" ${claim##*/}"
    done
    break
  done
  _sinkproof_words "$claims"
}

)";

// ---- zsh

std::string zsh_escaped(const std::string& text) {
  std::string made;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

std::string zsh_argument(const OptionText& option) {
  switch (option.argument) {
    case Argument::kNone:
      return "";
    case Argument::kChoice:
      return ":word:(" + joined(option.choices, " ") + ")";
    case Argument::kFolder:
      return ":dir:_files -/";
    case Argument::kFile:
      return ":file:_files";
    case Argument::kClaim:
      return ":id:_sinkproof_claims";
    case Argument::kText:
    case Argument::kNumber:
      return ":" + option.name + ":";
  }
  return "";
}

// One specification of _arguments for each way to write an option.
std::string zsh_option(const OptionText& option) {
  std::string text;
  for (const std::string& flag : option.flags) {
    const std::string spec = (option.repeated ? "*" : "") + flag + "[" +
                             zsh_escaped(option.description) + "]" + zsh_argument(option);
    text += " \\\n    " + shell_quoted(spec);
  }
  return text;
}

std::string zsh_function(const std::string& name, const CommandText& command) {
  std::string text = name + "() {\n  _arguments -s";
  for (const OptionText& option : command.options) text += zsh_option(option);
  for (const OptionText& option : command.positionals) {
    text += " \\\n    " + shell_quoted((option.repeated ? "*" : "") + zsh_argument(option));
  }
  return text + "\n}\n\n";
}

constexpr const char* kZshHead = R"(#compdef sinkproof sinkproof-check sinkproof-recheck
# zsh completion of sinkproof, written by `sinkproof manual`; do not edit.
_sinkproof_claims() {
  local folder
  for folder in proofs /usr/share/sinkproof/proofs /usr/local/share/sinkproof/proofs; do
    [[ -d $folder ]] || continue
    compadd -- $folder/*/claim.toml(N:h:t)
    break
  done
}

)";

// ---- fish

std::string fish_quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') made += '\\';
    made += c;
  }
  return made + "'";
}

std::string fish_argument(const OptionText& option) {
  switch (option.argument) {
    case Argument::kNone:
      return "";
    case Argument::kChoice:
      return " -x -a " + fish_quoted(joined(option.choices, " "));
    case Argument::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case Argument::kFile:
      return " -r -F";
    case Argument::kClaim:
      return " -x -a '(__sinkproof_claims)'";
    case Argument::kText:
    case Argument::kNumber:
      return " -x";
  }
  return "";
}

std::string fish_option(const std::string& beginning, const OptionText& option) {
  std::string names;
  for (const std::string& flag : option.flags) {
    names += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
  }
  return beginning + names + fish_argument(option) + " -d " + fish_quoted(option.description) +
         "\n";
}

std::string fish_options(const std::string& beginning, const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) text += fish_option(beginning, option);
  if (!command.positionals.empty() && command.positionals[0].argument == Argument::kClaim) {
    text += beginning + " -f -a '(__sinkproof_claims)'\n";
  }
  return text;
}

constexpr const char* kFishHead =
    R"(# fish completion of sinkproof, written by `sinkproof manual`; do not edit.
function __sinkproof_claims
    for folder in proofs /usr/share/sinkproof/proofs /usr/local/share/sinkproof/proofs
        if test -d $folder
            for claim in $folder/*/claim.toml
                basename (dirname $claim)
            end
            break
        end
    end
end
)";

}  // namespace

std::string bash_completion(const CompletedProgram& program) {
  std::string text = kBashHead;
  std::string cases;
  for (const CommandText& verb : program.verbs) {
    text += bash_function(function_name(verb), verb);
    cases += fmt::format("    {}) {} ;;\n", verb.name, function_name(verb));
  }
  const std::string first =
      joined(names_of(program.verbs), " ") + " " + joined(flags_of(program.program), " ");
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
complete -F _sinkproof_checker sinkproof-check sinkproof-recheck
)";
  return text;
}

std::string zsh_completion(const CompletedProgram& program) {
  std::string text = kZshHead;
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
  std::string text = kFishHead;
  text += fish_options("complete -c sinkproof -n __fish_use_subcommand", program.program);
  for (const CommandText& verb : program.verbs) {
    text += "complete -c sinkproof -f -n __fish_use_subcommand -a " + verb.name + " -d " +
            fish_quoted(verb.description) + "\n";
    text += fish_options("complete -c sinkproof -n '__fish_seen_subcommand_from " + verb.name + "'",
                         verb);
  }
  for (const std::string name : {"sinkproof-check", "sinkproof-recheck"}) {
    text += fish_options("complete -c " + name, program.checker);
  }
  return text;
}

}  // namespace sinkproof::cli
