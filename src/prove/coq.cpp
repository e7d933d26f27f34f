#include "prove/coq.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "certificate/theory.hpp"
#include "file/file.hpp"
#include "prove/coq_text.hpp"
#include "prove/process.hpp"

namespace sinkproof::prove {
namespace {

namespace fs = std::filesystem;
using exact::Result;

using Theory = std::map<std::string, std::string>;

constexpr Limits kCoqLimits = {600, 900, std::uint64_t{6} << 30U};

// Runs a Coq program in `folder`; its standard output, or SP0710 with the first line of its
// complaint.
Result<std::string> run_coq(const std::string& name, std::vector<std::string> arguments,
                            const fs::path& folder, const std::string& where) {
  const auto program = find_program(name);
  if (!program) return exact::fail("SP0701", where, name + " is not installed: scripts/setup.sh");
  arguments.insert(arguments.begin(), program->string());
  const auto outcome = run_program(arguments, folder, kCoqLimits);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->exited && outcome->exit_status == 0) return outcome->output;
  if (outcome->timed_out) return exact::fail("SP0710", where, name + " ran out of time");
  constexpr std::size_t shown = 400;
  return exact::fail("SP0710", where, name + " fails: " + outcome->errors.substr(0, shown));
}

Result<void> refuse_forbidden(const std::string& text, const std::string& where) {
  if (const auto word = forbidden_coq_word(text)) {
    return exact::fail(
        "SP0711", where,
        "contains the word " + *word + ", which assumes something: prove it instead");
  }
  return {};
}

// "a.v" -> "a"
std::string module_of(const std::string& file) { return file.substr(0, file.size() - 2); }

Result<CoqTheorem> read_theorem(const std::string& name, const fs::path& output,
                                const std::string& where) {
  const auto text = file::read(output);
  if (!text) return tl::unexpected(text.error());
  auto axioms = parse_assumptions(*text, where);
  if (!axioms) return tl::unexpected(axioms.error());
  const auto& allowed = certificate::allowed_coq_axioms();
  const auto refused = std::find_if(axioms->begin(), axioms->end(), [&](const std::string& axiom) {
    return std::find(allowed.begin(), allowed.end(), axiom) == allowed.end();
  });
  if (refused != axioms->end()) {
    return exact::fail("SP0713", where,
                       name + " rests on the axiom " + *refused +
                           ", which is not among those FORMAT.md, 3.6, allows");
  }
  return CoqTheorem{name, std::move(*axioms)};
}

// A file of ours that prints the assumptions of each theorem into a file of its own, so that
// nothing the proof file itself prints can be taken for them.
std::string question(const std::string& module, const std::vector<std::string>& theorems) {
  std::string text = "Require " + module + ".\n";
  for (std::size_t i = 0; i < theorems.size(); ++i) {
    text += fmt::format("Redirect \"assumptions{}\" Print Assumptions {}.{}.\n", i, module,
                        theorems[i]);
  }
  return text;
}

Theory only_coq(Theory files) {
  std::erase_if(files, [](const auto& item) { return !item.first.ends_with(".v"); });
  return files;
}

}  // namespace

CoqWorkspace::CoqWorkspace(Theory theory) : theory_(only_coq(std::move(theory))) {}

bool CoqWorkspace::is_available() { return find_program("coqc").has_value(); }

Result<void> CoqWorkspace::compile(const std::string& name) const {
  const std::string where = "theory/" + name;
  const std::string& text = theory_.at(name);
  if (auto clean = refuse_forbidden(text, where); !clean) return clean;
  if (auto written = file::replace(folder_.path() / name, text); !written) return written;
  const auto done = run_coq("coqc", {"-q", "-R", ".", "Sinkproof", name}, folder_.path(), where);
  if (!done) return tl::unexpected(done.error());
  return {};
}

std::vector<std::string> CoqWorkspace::required_by(const std::string& text) const {
  const std::set<std::string> words = coq_required_words(text);
  std::vector<std::string> names;
  for (const auto& [name, theory] : theory_) {
    if (words.contains(module_of(name))) names.push_back(name);
  }
  return names;
}

Result<std::vector<CoqTheorem>> CoqWorkspace::prove(const std::string& file,
                                                    const std::string& text,
                                                    const std::string& where) const {
  const auto names = certificate::coq_theorems(text);
  if (names.empty()) {
    return exact::fail("SP0712", where,
                       "must end with Print Assumptions THEOREM. on a line of its own");
  }
  if (auto clean = refuse_forbidden(text, where); !clean) return tl::unexpected(clean.error());
  const TemporaryFolder folder;
  const std::vector<std::string> flags = {"-q", "-R", folder_.path().string(), "Sinkproof", "-Q",
                                          ".",  ""};
  const auto compile = [&](const std::string& name, const std::string& content) -> Result<void> {
    if (auto written = file::replace(folder.path() / name, content); !written) return written;
    std::vector<std::string> arguments = flags;
    arguments.push_back(name);
    const auto done = run_coq("coqc", arguments, folder.path(), where);
    if (!done) return tl::unexpected(done.error());
    return {};
  };
  // Its own questions would be answered twice, at half a second each.
  if (auto done = compile(file, without_coq_questions(text, names.size())); !done) {
    return tl::unexpected(done.error());
  }
  if (auto done = compile("sinkproof_question.v", question(module_of(file), names)); !done) {
    return tl::unexpected(done.error());
  }
  std::vector<CoqTheorem> theorems;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const fs::path output = folder.path() / ("assumptions" + std::to_string(i) + ".out");
    auto theorem = read_theorem(names[i], output, where);
    if (!theorem) return tl::unexpected(theorem.error());
    theorems.push_back(std::move(*theorem));
  }
  return theorems;
}

}  // namespace sinkproof::prove
