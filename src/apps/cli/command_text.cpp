#include "cli/command_text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <utility>

namespace sinkproof::cli {
namespace {

// CLI11 writes a type and its checks as "TEXT:{a,b}", "UINT:INT in [1 - 256]", "TEXT:FILE".
std::string braces_of(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return "";
  return type.substr(open + 1, close - open - 1);
}

std::vector<std::string> choices_of(const std::string& type) {
  return CLI::detail::split(braces_of(type), ',');
}

std::string range_of(const std::string& type) {
  const std::size_t open = type.find(" in [");
  const std::size_t dash = type.find(" - ", open);
  const std::size_t close = type.find(']', open);
  if (open == std::string::npos || dash == std::string::npos || close == std::string::npos) {
    return "";
  }
  const std::string low = type.substr(open + 5, dash - open - 5);
  return "between " + low + " and " + type.substr(dash + 3, close - dash - 3);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Argument argument_of(const CLI::Option& option, const std::string& type) {
  if (option.get_expected_max() == 0) return Argument::kNone;
  if (!braces_of(type).empty()) return Argument::kChoice;
  const std::string& description = option.get_description();
  if (contains(type, "DIR") || description.starts_with("Folder")) return Argument::kFolder;
  const bool file = contains(type, "FILE") || contains(type, "CERT") ||
                    contains(description, "rite") || option.check_lname("output");
  if (file) return Argument::kFile;
  if (type == "ID") return Argument::kClaim;
  const bool number = contains(type, "INT") || contains(type, "FLOAT");
  return number ? Argument::kNumber : Argument::kText;
}

std::string argument_name(const CLI::Option& option, Argument argument) {
  switch (argument) {
    case Argument::kNone:
      return "";
    case Argument::kText:
      return option.get_positional() ? CLI::detail::to_lower(option.get_name()) : "text";
    case Argument::kNumber:
      return "n";
    case Argument::kFile:
      return "file";
    case Argument::kFolder:
      return "dir";
    case Argument::kChoice:
      return "word";
    case Argument::kClaim:
      return "id";
  }
  return "";
}

OptionText option_text(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  OptionText text;
  for (const std::string& name : option.get_snames()) text.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.flags.push_back("--" + name);
  text.argument = argument_of(option, type);
  text.name = argument_name(option, text.argument);
  text.called = option.get_name();
  text.choices = choices_of(type);
  text.group = option.get_group();
  text.description = option.get_description();
  text.range = range_of(type);
  if (text.argument != Argument::kNone) text.by_default = option.get_default_str();
  text.required = option.get_required();
  text.repeated = option.get_expected_max() > 1 || option.get_items_expected_max() > 1;
  return text;
}

}  // namespace

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

CommandText command_text(const Command& command) {
  CommandText text;
  text.name = command.app().get_name();
  text.description = command.app().get_description();
  for (const CLI::Option* option : std::as_const(command.app()).get_options()) {
    if (option->get_group().empty()) continue;
    OptionText made = option_text(*option);
    (made.flags.empty() ? text.positionals : text.options).push_back(std::move(made));
  }
  text.examples = CLI::detail::split(command.app().get_footer(), '\n');
  std::erase(text.examples, "");
  return text;
}

bool names_choices(const OptionText& option) {
  return std::all_of(option.choices.begin(), option.choices.end(), [&](const std::string& choice) {
    return contains(option.description, choice);
  });
}

std::vector<std::pair<std::string, std::vector<OptionText>>> groups_of(const CommandText& command) {
  std::vector<std::pair<std::string, std::vector<OptionText>>> groups;
  const auto put = [&](const OptionText& option) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& one) { return one.first == option.group; });
    if (group == groups.end()) group = groups.insert(groups.end(), {option.group, {}});
    group->second.push_back(option);
  };
  for (const bool general : {false, true}) {
    for (const OptionText& option : command.options) {
      if ((option.group == kGeneral) == general) put(option);
    }
  }
  return groups;
}

std::vector<CommandText> verbs_of(const Command& program) {
  std::vector<CommandText> verbs;
  for (CLI::App* verb : program.app().get_subcommands([](CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) verbs.push_back(command_text(Command(*verb)));
  }
  return verbs;
}

}  // namespace sinkproof::cli
