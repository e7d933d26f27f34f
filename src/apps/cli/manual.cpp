// `sinkproof manual`: writes the manual pages and completions from the commands themselves. Hidden
// from --help; the build calls it.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/completion.hpp"
#include "cli/manual_page.hpp"
#include "cli/verbs.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"

namespace sinkproof::cli {
namespace {

namespace fs = std::filesystem;

struct ManualArguments {
  std::string output;
  std::string fragments;
  std::string date;
};

// A page's fragment, or "" if nobody wrote one.
exact::Result<std::string> fragment(const ManualArguments& arguments, const std::string& name) {
  const fs::path path = fs::path(arguments.fragments) / (name + ".mdoc");
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::string();
  return file::read(path);
}

exact::Result<void> write_page(const ManualArguments& arguments, const Page& page,
                               const std::string& text) {
  return output::replace(fs::path(arguments.output) / (page.name + ".1"), text);
}

exact::Result<Page> page_of(const ManualArguments& arguments, const std::string& name,
                            const std::string& command) {
  auto words = fragment(arguments, name);
  if (!words) return tl::unexpected(words.error());
  return Page{name, command, SINKPROOF_VERSION, arguments.date, *std::move(words)};
}

// sinkproof-check is a program and a command: one page for both.
CommandText checker_of(const std::vector<CommandText>& verbs) {
  for (const CommandText& verb : verbs) {
    if (verb.name == "check") return verb;
  }
  return {};
}

OptionText version_option() {
  OptionText option;
  option.flags = {"--version"};
  option.description = "Print the version (the program sinkproof-check only)";
  return option;
}

exact::Result<void> write_command(const ManualArguments& arguments, const std::string& name,
                                  const std::string& command, const CommandText& text) {
  const auto page = page_of(arguments, name, command);
  if (!page) return tl::unexpected(page.error());
  std::vector<std::string> siblings = {"sinkproof", "sinkproof-check"};
  for (const OtherChecker& other : kOtherCheckers) siblings.emplace_back(other.name);
  return write_page(arguments, *page, command_page(*page, text, siblings));
}

exact::Result<void> write_pages(const ManualArguments& arguments, const CompletedProgram& program) {
  for (CommandText verb : program.verbs) {
    const bool checker = verb.name == "check";
    if (checker) verb.options.push_back(version_option());
    auto written = write_command(arguments, "sinkproof-" + verb.name,
                                 checker ? "sinkproof-check" : "sinkproof " + verb.name, verb);
    if (!written) return written;
  }
  for (const OtherChecker& other : kOtherCheckers) {
    const std::string name(other.name);
    CommandText text = program.checker;
    text.description = other.description;
    text.examples.resize(std::min(text.examples.size(), other.examples));
    for (std::string& line : text.examples) line.replace(0, line.find(' '), name);
    if (auto written = write_command(arguments, name, name, text); !written) return written;
  }
  const auto page = page_of(arguments, "sinkproof", "sinkproof");
  if (!page) return tl::unexpected(page.error());
  return write_page(arguments, *page, program_page(*page, program.program, program.verbs));
}

exact::Result<void> write_all(const ManualArguments& arguments, const CompletedProgram& program) {
  const fs::path folder = arguments.output;
  if (auto pages = write_pages(arguments, program); !pages) return pages;
  if (auto bash = output::replace(folder / "sinkproof.bash", bash_completion(program)); !bash) {
    return bash;
  }
  if (auto zsh = output::replace(folder / "_sinkproof", zsh_completion(program)); !zsh) return zsh;
  return output::replace(folder / "sinkproof.fish", fish_completion(program));
}

int run_manual(const ManualArguments& arguments, const Command& program) {
  CompletedProgram text;
  text.program = command_text(program);
  text.verbs = verbs_of(program);
  text.checker = checker_of(text.verbs);
  const auto written = write_all(arguments, text);
  return written ? kOk : report_error(written.error());
}

}  // namespace

void add_manual(const Command& program, int& exit_code) {
  const Command command =
      program.add_hidden_verb("manual", "Write the manual pages and completions");
  const auto arguments = std::make_shared<ManualArguments>();
  command.add_option("-o,--output", arguments->output, "Folder to write to")
      .required()
      .existing_folder();
  command.add_option("--fragments", arguments->fragments, "Folder of the pages' own words");
  command.add_option("--date", arguments->date, "Date of the pages, such as June 1, 2026");
  command.callback(
      [arguments, &program, &exit_code] { exit_code = run_manual(*arguments, program); });
}

}  // namespace sinkproof::cli
