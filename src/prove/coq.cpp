#include "prove/coq.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "certificate/coq_statement.hpp"
#include "certificate/theory.hpp"
#include "claim/coq_text.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"
#include "prove/coq_statement.hpp"
#include "prove/coq_text.hpp"
#include "prove/process.hpp"

namespace sinkproof::prove {
namespace {

namespace fs = std::filesystem;
using exact::Result;
using Files = std::map<std::string, std::string>;

constexpr Limits kCoqLimits = {600, 900, std::uint64_t{6} << 30U};
constexpr std::string_view kDefinitions = "definitions/";

// Coq's own choice for OCaml's collector, made for hours, touches 256 MiB in each of our short
// runs: with a nursery that fits a cache all of them take an eighth less, and no more memory.
constexpr const char* kCollector = "OCAMLRUNPARAM=s=1M,o=1000";

// Runs coqc in `folder`: what it complains of, "" when it accepts. SP0701, SP0710: it cannot be
// started, or ran out of time.
Result<std::string> run_coqc(std::vector<std::string> arguments, const fs::path& folder,
                             const std::string& where) {
  const auto program = find_program("coqc");
  if (!program) return exact::fail("SP0701", where, "coqc is not installed: scripts/setup.sh");
  arguments.insert(arguments.begin(), {"/usr/bin/env", kCollector, program->string(), "-q"});
  const auto outcome = run_program(arguments, folder, kCoqLimits);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->timed_out) return exact::fail("SP0710", where, "coqc ran out of time");
  if (outcome->exited && outcome->exit_status == 0) return std::string();
  return "coqc fails: " + outcome->errors;
}

// The same where any complaint is SP0710, with its beginning.
Result<void> compile_with(const std::vector<std::string>& arguments, const fs::path& folder,
                          const std::string& where) {
  const auto complaint = run_coqc(arguments, folder, where);
  if (!complaint) return tl::unexpected(complaint.error());
  constexpr std::size_t shown = 600;
  if (!complaint->empty()) return exact::fail("SP0710", where, complaint->substr(0, shown));
  return {};
}

Result<void> refuse_forbidden(const std::string& text, const std::string& where) {
  if (const auto word = forbidden_coq_word(text)) {
    return exact::fail("SP0711", where,
                       "contains the word " + *word + ", which assumes something or hides " +
                           "what is meant: prove it instead");
  }
  if (const std::string form = forbidden_coq_form(text); !form.empty()) {
    return exact::fail("SP0711", where, "holds " + form + ", which may not stand here");
  }
  return {};
}

// "definitions/a.v" -> "a"
std::string module_of(const std::string& path) { return fs::path(path).stem().string(); }

Files only_coq(Files files) {
  std::erase_if(files, [](const auto& item) { return !item.first.ends_with(".v"); });
  return files;
}

// The axioms in Coq's answer, all of them allowed.
Result<std::vector<std::string>> read_assumptions(const fs::path& output,
                                                  const std::string& where) {
  const auto text = file::read(output);
  if (!text) return tl::unexpected(text.error());
  auto axioms = parse_assumptions(*text, where);
  if (!axioms) return axioms;
  const auto& allowed = certificate::allowed_coq_axioms();
  const auto refused = std::find_if(axioms->begin(), axioms->end(), [&](const std::string& axiom) {
    return std::find(allowed.begin(), allowed.end(), axiom) == allowed.end();
  });
  if (refused == axioms->end()) return axioms;
  return exact::fail(
      "SP0713", where,
      "rests on the axiom " + *refused + ", which is not among those FORMAT.md, 3.6, allows");
}

// A name that already means something where the text introduces it, if Coq is asked with the text's
// own imports: `Fail` succeeds where the name is free.
std::string freshness_question(const std::string& text) {
  std::string question = coq_preamble(text);
  for (const std::string& name : claim::coq_introduced(text)) {
    question.append("Fail Check ").append(name).append(".\n");
  }
  return question;
}

// The name in the line of freshness_question that Coq complains of.
std::string shadowed_name(const std::string& question, const std::string& complaint) {
  std::size_t line = coq_complaint_line(complaint);
  if (line == 0) return "";
  std::size_t begin = 0;
  while (line > 1 && begin != std::string::npos) {
    begin = question.find('\n', begin) + 1;
    --line;
  }
  return question.substr(begin, question.find('\n', begin) - begin);
}

// Coq takes a name that two files bear for one or the other, and prints axioms by short names: no
// two files of a folder have one, and none has that of a library whose axioms are allowed.
Result<void> has_own_name(const std::string& path, const Files& files, const std::string& where) {
  for (const std::string& axiom : certificate::allowed_coq_axioms()) {
    if (axiom.substr(0, axiom.find('.')) != module_of(path)) continue;
    return exact::fail("SP0720", where, "bears the name of Coq's " + module_of(path));
  }
  for (const auto& [other, text] : files) {
    if (other == path || module_of(other) != module_of(path)) continue;
    return exact::fail("SP0720", where, "bears the name of " + other + ", too");
  }
  return {};
}

// Names that two definition files introduce mean one thing or the other, by the order of imports.
Result<void> introduces_new_names(const std::string& path, const Files& theory) {
  const auto names = claim::coq_introduced(theory.at(path));
  for (const auto& [other, text] : theory) {
    if (other == path || !other.starts_with(kDefinitions)) continue;
    for (const std::string& name : claim::coq_introduced(text)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      return exact::fail("SP0720", "theory/" + path,
                         fmt::format("defines {}, as theory/{} does", name, other));
    }
  }
  return {};
}

CoqStatements statements_of(const Files& files) {
  CoqStatements statements;
  for (const auto& [path, text] : files) {
    if (certificate::is_statement_file(path)) {
      statements.files.push_back(
          {module_of(path), certificate::coq_sentences(text), coq_own_definitions(text)});
      continue;
    }
    for (const std::string& name : certificate::coq_theorems(text)) {
      const auto end = certificate::kInstance;
      if (name.ends_with(end)) {
        statements.instances.insert(name.substr(0, name.size() - end.size()));
      }
    }
  }
  return statements;
}

}  // namespace

CoqWorkspace::CoqWorkspace(Files theory) : theory_(only_coq(std::move(theory))) {}

bool CoqWorkspace::is_available() { return find_program("coqc").has_value(); }

Result<void> CoqWorkspace::compile(const std::string& path) const {
  const std::string where = "theory/" + path;
  const std::string& text = theory_.at(path);
  if (auto clean = refuse_forbidden(text, where); !clean) return clean;
  if (auto own = has_own_name(path, theory_, where); !own) return own;
  if (path.starts_with(kDefinitions)) {
    if (auto plain = only_definitions(text, where); !plain) return plain;
    if (auto fresh = introduces_new_names(path, theory_); !fresh) return fresh;
  }
  std::error_code error;
  fs::create_directories((folder_.path() / path).parent_path(), error);
  if (auto written = output::replace(folder_.path() / path, text); !written) return written;
  return compile_with({"-R", ".", "Sinkproof", path}, folder_.path(), where);
}

std::vector<std::string> coq_required(const std::string& text, const Files& files) {
  const std::set<std::string> words = coq_required_words(text);
  std::vector<std::string> names;
  for (const auto& [name, content] : files) {
    if (words.contains(module_of(name))) names.push_back(name);
  }
  return names;
}

CoqClaim::CoqClaim(const CoqWorkspace& workspace, Files files)
    : workspace_(workspace),
      files_(only_coq(std::move(files))),
      statements_(statements_of(files_)) {}

Result<void> CoqClaim::compile(const std::string& file, const std::string& text,
                               const std::string& where) const {
  if (file.find('/') != std::string::npos || file.starts_with("sinkproof_")) {
    return exact::fail("SP0720", where,
                       "a claim's Coq files lie in its folder itself, under names of their own");
  }
  if (auto own = has_own_name(file, files_, where); !own) return own;
  if (auto written = output::replace(folder_.path() / file, text); !written) return written;
  return compile_with({"-R", workspace_.folder().string(), "Sinkproof", "-Q", ".", "Claim", file},
                      folder_.path(), where);
}

Result<void> CoqClaim::state(const std::string& file, const std::string& where) const {
  const std::string& text = files_.at(file);
  if (auto clean = refuse_forbidden(text, where); !clean) return clean;
  if (auto plain = is_statement(text, where); !plain) return plain;
  if (auto done = compile(file, text, where); !done) return done;
  const std::string question = freshness_question(text);
  const std::string name = "sinkproof_names_" + file;
  if (auto written = output::replace(folder_.path() / name, question); !written) return written;
  const auto complaint =
      run_coqc({"-R", workspace_.folder().string(), "Sinkproof", name}, folder_.path(), where);
  if (!complaint) return tl::unexpected(complaint.error());
  if (complaint->empty()) return {};
  return exact::fail("SP0720", where,
                     "introduces a name that means something there already: " +
                         shadowed_name(question, *complaint));
}

Result<void> CoqClaim::ask(const CoqQuestion& question, const std::string& module,
                           const std::string& where) const {
  // In a folder of its own: the answers of two files must not meet.
  const fs::path folder = folder_.path() / ("questions_" + module);
  std::error_code error;
  fs::create_directories(folder, error);
  if (auto written = output::replace(folder / "question.v", question.text()); !written) {
    return written;
  }
  const auto complaint =
      run_coqc({"-R", workspace_.folder().string(), "Sinkproof", "-Q", "..", "Claim", "question.v"},
               folder, where);
  if (!complaint) return tl::unexpected(complaint.error());
  if (!complaint->empty()) return tl::unexpected(question.explain(*complaint, where));
  return {};
}

Result<CoqProved> CoqClaim::prove(const std::string& file, const std::string& where) const {
  const std::string& text = files_.at(file);
  const auto names = certificate::coq_theorems(text);
  // Its own questions would be answered twice, at half a second each.
  const std::string proofs = without_coq_questions(text, names.size());
  if (auto clean = refuse_forbidden(proofs, where); !clean) return tl::unexpected(clean.error());
  const std::string module = module_of(file);
  const auto question = CoqQuestion::about(module, names, statements_, where);
  if (!question) return tl::unexpected(question.error());
  if (auto done = compile(file, proofs, where); !done) return tl::unexpected(done.error());
  if (names.empty()) return CoqProved{};
  if (auto done = ask(*question, module, where); !done) return tl::unexpected(done.error());
  auto axioms =
      read_assumptions(folder_.path() / ("questions_" + module) / CoqQuestion::kAnswer, where);
  if (!axioms) return tl::unexpected(axioms.error());
  return CoqProved{names, *std::move(axioms)};
}

}  // namespace sinkproof::prove
