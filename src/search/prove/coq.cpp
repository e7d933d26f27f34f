#include "prove/coq.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "certificate/coq_statement.hpp"
#include "certificate/strict.hpp"
#include "certificate/theory.hpp"
#include "claim/coq_text.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"
#include "prove/coq_allowed.hpp"
#include "prove/coq_statement.hpp"
#include "prove/coq_text.hpp"

namespace sinkproof::prove {
namespace {

namespace fs = std::filesystem;
using exact::Result;
using Files = std::map<std::string, std::string>;

constexpr std::string_view kDefinitions = "definitions/";
constexpr std::string_view kQuestion = "sinkproof_question_";

// SP0710: a complaint of Coq's, with its beginning.
Result<void> accepted(const Result<std::string>& complaint, const std::string& where) {
  if (!complaint) return tl::unexpected(complaint.error());
  constexpr std::size_t shown = 600;
  if (!complaint->empty()) return exact::fail("SP0710", where, complaint->substr(0, shown));
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

// Coq takes a name that two files bear for one or the other, and prints axioms by short names: no
// two files of a folder have one, and none has that of a library whose axioms are allowed.
Result<void> has_own_name(const std::string& path, const Files& files, const std::string& where) {
  for (const std::string& axiom : certificate::allowed_coq_axioms()) {
    if (axiom.substr(0, axiom.find('.')) != module_of(path)) continue;
    return exact::fail("SP0720", where, "has the same name as Coq's " + module_of(path));
  }
  for (const auto& [other, text] : files) {
    if (other == path || module_of(other) != module_of(path)) continue;
    return exact::fail("SP0720", where, "has the same name as " + other + "; rename one of them");
  }
  return {};
}

CoqStatements statements_of(const Files& files) {
  CoqStatements statements;
  for (const auto& [path, text] : files) {
    if (certificate::is_statement_file(path)) {
      statements.files.push_back({module_of(path), certificate::coq_sentences(text)});
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

CoqWorkspace::CoqWorkspace(Files theory, CoqProgram program)
    : theory_(only_coq(std::move(theory))), program_(std::move(program)) {}

Result<void> CoqWorkspace::compile(const std::string& path) const {
  const std::string where = "theory/" + path;
  const std::string& text = theory_.at(path);
  if (auto own = has_own_name(path, theory_, where); !own) return own;
  const bool is_definitions = path.starts_with(kDefinitions);
  if (auto allowed = is_definitions ? only_definitions(text, where)
                                    : only_allowed_coq(text, CoqFile::kProofs, where);
      !allowed) {
    return allowed;
  }
  std::error_code error;
  fs::create_directories((folder_.path() / path).parent_path(), error);
  if (auto written = output::replace(folder_.path() / path, text); !written) return written;
  return accepted(program_.compile(path, folder(), {{folder(), "Sinkproof"}}, where), where);
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
  if (file.find('/') != std::string::npos || file.starts_with(kQuestion)) {
    return exact::fail("SP0720", where,
                       "is in a subfolder or repeats a name; keep the Coq files of a claim "
                       "directly in its folder, under different names");
  }
  if (auto own = has_own_name(file, files_, where); !own) return own;
  if (auto written = output::replace(folder_.path() / file, text); !written) return written;
  return accepted(run(file, where), where);
}

Result<std::string> CoqClaim::run(const std::string& file, const std::string& where) const {
  return workspace_.program().compile(
      file, folder_.path(), {{workspace_.folder(), "Sinkproof"}, {folder_.path(), "Claim"}}, where);
}

Result<void> CoqClaim::state(const std::string& file, const std::string& where) const {
  const std::string& text = files_.at(file);
  if (auto plain = is_statement(text, where); !plain) return plain;
  if (auto done = compile(file, text, where); !done) return done;
  const auto& theory = workspace_.theory();
  const auto definitions =
      certificate::result_of([&] { return certificate::coq_definitions(text, theory, where); });
  if (!definitions) return tl::unexpected(definitions.error());
  std::string preambles;
  for (const auto& [path, hash] : *definitions) preambles += claim::coq_preamble(theory.at(path));
  return ask(CoqQuestion::about_names(module_of(file), claim::coq_preamble(text), preambles), file,
             where);
}

Result<void> CoqClaim::ask(const CoqQuestion& question, const std::string& file,
                           const std::string& where) const {
  const std::string name = std::string(kQuestion) + file;
  if (auto written = output::replace(folder_.path() / name, question.text()); !written) {
    return written;
  }
  const auto complaint = run(name, where);
  if (!complaint) return tl::unexpected(complaint.error());
  if (!complaint->empty()) return tl::unexpected(question.explain(*complaint, where));
  return {};
}

Result<CoqProved> CoqClaim::prove(const std::string& file, const std::string& where) const {
  const std::string& text = files_.at(file);
  const auto names = certificate::coq_theorems(text);
  // Its own questions would be answered twice, at half a second each.
  const std::string proofs = without_coq_questions(text, names.size());
  if (auto allowed = only_allowed_coq(proofs, CoqFile::kProofs, where); !allowed) {
    return tl::unexpected(allowed.error());
  }
  const std::string module = module_of(file);
  const auto question = CoqQuestion::about(module, names, statements_, where);
  if (!question) return tl::unexpected(question.error());
  if (auto done = compile(file, proofs, where); !done) return tl::unexpected(done.error());
  if (names.empty()) return CoqProved{};
  if (auto done = ask(*question, file, where); !done) return tl::unexpected(done.error());
  auto axioms = read_assumptions(folder_.path() / question->answer(), where);
  if (!axioms) return tl::unexpected(axioms.error());
  return CoqProved{names, *std::move(axioms)};
}

}  // namespace sinkproof::prove
