#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "cli/exit_codes.hpp"

namespace sinkproof::cli {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 28;  // where descriptions begin

// `text` broken at blanks; every line but the first begins with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t used, std::size_t indent) {
  std::string made;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool first = begin == 0;
    if (!first && used + 1 + word.size() > kColumns) {
      made += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (!first) {
      made += ' ';
      ++used;
    }
    made += word;
    used += word.size();
    begin = end + 1;
  }
  return made;
}

// A name in the left column and what it means in the right one.
std::string entry(const std::string& name, const std::string& meaning) {
  std::string line = "  " + name;
  if (line.size() + 2 > kIndent) {
    line += "\n" + std::string(kIndent, ' ');
  } else {
    line.resize(kIndent, ' ');
  }
  return line + wrapped(meaning, kIndent, kIndent) + "\n";
}

std::string meaning_of(const OptionText& option) {
  std::vector<std::string> notes;
  if (!names_choices(option)) notes.push_back(fmt::format("{}", fmt::join(option.choices, ", ")));
  if (!option.range.empty()) notes.push_back(option.range);
  if (!option.by_default.empty()) notes.push_back("default: " + option.by_default);
  if (option.required) notes.emplace_back("required");
  if (option.repeated && !option.flags.empty()) notes.emplace_back("repeatable");
  if (notes.empty()) return option.description;
  return fmt::format("{} ({})", option.description, fmt::join(notes, "; "));
}

std::string listed(const OptionText& option) {
  if (option.flags.empty()) {
    return entry(upper(option.name) + (option.repeated ? " ..." : ""), meaning_of(option));
  }
  const std::string argument = option.argument == Argument::kNone ? "" : " " + upper(option.name);
  return entry(fmt::format("{}{}", fmt::join(option.flags, ", "), argument), meaning_of(option));
}

std::string usage_of(const CommandText& command, const std::string& called, bool has_verbs) {
  std::string usage = "Usage: " + called + (has_verbs ? " COMMAND" : "") + " [OPTIONS]";
  for (const OptionText& option : command.options) {
    if (!option.required) continue;
    usage += " " + option.flags.back() + " " + upper(option.name);
  }
  for (const OptionText& option : command.positionals) {
    const std::string name = upper(option.name) + (option.repeated ? " ..." : "");
    usage += option.required ? " " + name : " [" + name + "]";
  }
  return usage + "\n";
}

}  // namespace

std::string help_text(const CommandText& command, const std::string& called,
                      const std::vector<CommandText>& verbs) {
  std::string text =
      wrapped(command.description, 0, 0) + "\n\n" + usage_of(command, called, !verbs.empty());
  if (!verbs.empty()) text += "\nCommands:\n";
  for (const CommandText& verb : verbs) text += entry(verb.name, verb.description);
  if (!command.positionals.empty()) text += "\nArguments:\n";
  for (const OptionText& option : command.positionals) text += listed(option);
  for (const auto& [heading, options] : groups_of(command)) {
    text += "\n" + heading + ":\n";
    for (const OptionText& option : options) text += listed(option);
  }
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const std::string& line : command.examples) text += "  " + line + "\n";
  text += "\nExit codes:\n";
  for (const ExitCode& one : kExitCodes) text += fmt::format("  {}  {}\n", one.code, one.meaning);
  return text;
}

}  // namespace sinkproof::cli
