#include "cli/manual_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/completion.hpp"
#include "cli/exit_codes.hpp"

namespace sinkproof::cli {
namespace {

constexpr const char* kOptionsMark = ".\\\" OPTIONS\n";

// Text that troff takes literally, in a line that does not begin with a macro: a hyphen that begins
// an option stays a minus sign.
std::string literal(const std::string& text) {
  std::string made;
  char before = ' ';
  for (const char c : text) {
    const bool option = c == '-' && (before == ' ' || before == '-' || before == '`');
    if (c == '\\') {
      made += "\\e";
    } else if (c == '\'') {
      made += "\\(aq";
    } else if (c == '"') {  // a macro would take it for its own
      made += "\\(dq";
    } else if (option) {
      made += "\\-";
    } else {
      made += c;
    }
    before = c;
  }
  if (!made.empty() && made[0] == '.') made.insert(0, "\\&");
  return made;
}

// An argument of a macro: in quotes, hyphens as minus signs.
std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"') {
      made += "\\(dq";
    } else if (c == '\\') {
      made += "\\e";
    } else if (c == '-') {
      made += "\\-";
    } else {
      made += c;
    }
  }
  return made + "\"";
}

std::string argument_text(const OptionText& option) {
  return option.argument == Argument::kNone ? "" : " Ar " + option.name;
}

// "Fl o , Fl \-output Ar file"
std::string flags_text(const OptionText& option) {
  std::string line;
  for (const std::string& flag : option.flags) {
    std::string name;
    for (const char c : flag.substr(1)) name += c == '-' ? std::string("\\-") : std::string(1, c);
    line += (line.empty() ? "Fl " : " , Fl ") + name;
  }
  return line + argument_text(option);
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

// What NAME says is a phrase.
std::string without_period(std::string text) {
  if (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

std::string explained(const OptionText& option) {
  std::vector<std::string> lines;
  if (!option.description.empty()) lines.push_back(literal(sentence(option.description)));
  if (!names_choices(option))
    lines.push_back(literal(fmt::format("One of {}.", fmt::join(option.choices, ", "))));
  if (!option.range.empty()) lines.push_back(literal("A number " + option.range + "."));
  if (!option.by_default.empty()) lines.push_back(literal("Default: " + option.by_default + "."));
  if (option.repeated && !option.flags.empty()) lines.emplace_back("May be given several times.");
  if (option.required) lines.emplace_back("Required.");
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string options_section(const CommandText& command) {
  std::string text = ".Sh OPTIONS\n";
  if (!command.positionals.empty()) text += ".Bl -tag -width Ds\n";
  for (const OptionText& option : command.positionals) {
    text += ".It Ar " + option.name + (option.repeated ? " ..." : "") + "\n" + explained(option);
  }
  if (!command.positionals.empty()) text += ".El\n";
  for (const auto& [heading, options] : groups_of(command)) {
    text += ".Ss " + heading + "\n.Bl -tag -width Ds\n";
    for (const OptionText& option : options) {
      text += ".It " + flags_text(option) + "\n" + explained(option);
    }
    text += ".El\n";
  }
  return text;
}

std::string exit_status() {
  std::string text = ".Sh EXIT STATUS\n.Bl -tag -width 4n -compact\n";
  for (const ExitCode& one : kExitCodes) text += fmt::format(".It {}\n{}\n", one.code, one.meaning);
  return text +
         ".El\n.Pp\nErrors carry a stable code, such as SP0201: `sinkproof explain SP0201`.\n";
}

std::string examples(const CommandText& command) {
  if (command.examples.empty()) return "";
  std::string text = ".Sh EXAMPLES\n";
  for (const std::string& line : command.examples) text += ".Dl " + literal(line) + "\n";
  return text;
}

std::string head(const Page& page, const std::string& description) {
  return fmt::format(
      ".\\\" Written by `sinkproof manual` from the program's own options; do not edit.\n"
      ".Dd {}\n.Dt {} 1\n.Os \"sinkproof {}\"\n.Sh NAME\n.Nm {}\n.Nd {}\n",
      page.date, upper(page.name), page.version, page.name, quoted(without_period(description)));
}

std::string synopsis(const Page& page, const CommandText& command) {
  std::string text = ".Sh SYNOPSIS\n.Nm " + page.command + "\n.Op Ar options\n";
  for (const OptionText& option : command.options) {
    if (option.required) text += "." + flags_text(option) + "\n";
  }
  for (const OptionText& option : command.positionals) {
    const std::string argument = "Ar " + option.name + (option.repeated ? " ..." : "");
    text += (option.required ? "." : ".Op ") + argument + "\n";
  }
  return text;
}

// The part of the fragment before or after the options.
std::string description(const Page& page, const CommandText& command) {
  const std::size_t mark = page.fragment.find(kOptionsMark);
  const std::string before = page.fragment.substr(0, mark);
  return ".Sh DESCRIPTION\n" +
         (before.empty() ? literal(sentence(command.description)) + "\n" : before);
}

// What comes after the options; mdoc has the examples after the exit codes.
std::string closing(const Page& page, const CommandText& command) {
  const std::size_t mark = page.fragment.find(kOptionsMark);
  const std::string after = mark == std::string::npos
                                ? ""
                                : page.fragment.substr(mark + std::string(kOptionsMark).size());
  return after + exit_status() + examples(command);
}

std::string see_also(const Page& page, const std::vector<std::string>& siblings) {
  std::vector<std::string> others;
  for (const std::string& name : siblings) {
    if (name != page.name) others.push_back(".Xr " + name + " 1");
  }
  std::sort(others.begin(), others.end());
  return fmt::format(".Sh SEE ALSO\n{}\n", fmt::join(others, " ,\n"));
}

}  // namespace

std::string command_page(const Page& page, const CommandText& command,
                         const std::vector<std::string>& siblings) {
  return head(page, command.description) + synopsis(page, command) + description(page, command) +
         options_section(command) + closing(page, command) + see_also(page, siblings);
}

std::string program_page(const Page& page, const CommandText& program,
                         const std::vector<CommandText>& verbs) {
  std::string list = ".Sh COMMANDS\nEach has its own page.\n.Bl -tag -width Ds\n";
  std::vector<std::string> pages;
  for (const OtherChecker& other : kOtherCheckers) pages.emplace_back(other.name);
  for (const CommandText& verb : verbs) {
    pages.push_back(page.name + "-" + verb.name);
    list += ".It Xr " + pages.back() + " 1\n" + literal(sentence(verb.description)) + "\n";
  }
  const std::string synopsis = ".Sh SYNOPSIS\n.Nm " + page.command +
                               "\n.Ar command\n.Op Ar options\n.Nm " + page.command +
                               "\n.Fl \\-version\n";
  return head(page, program.description) + synopsis + description(page, program) + list + ".El\n" +
         options_section(program) + closing(page, program) + see_also(page, pages);
}

}  // namespace sinkproof::cli
