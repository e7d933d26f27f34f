// Has Coq check a claim's files, in temporary copies: nothing is ever written into proofs/.
// Each file of the shared theory is compiled once per run (up to 5 s), each of a claim's once: 2 s,
// and a second more for what is asked about it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "output/temporary_folder.hpp"
#include "prove/coq_program.hpp"
#include "prove/coq_question.hpp"

namespace sinkproof::prove {

struct CoqProved {
  std::vector<std::string> theorems;     // in the order of the file
  std::vector<std::string> assumptions;  // the axioms they rest on together, sorted
};

// The shared theory, compiled.
class CoqWorkspace {
 public:
  // `theory` holds the shared files by path ("trigger_task.v", "definitions/task.v"); those that
  // are not *.v do not count.
  CoqWorkspace(std::map<std::string, std::string> theory, CoqProgram program);

  [[nodiscard]] const std::map<std::string, std::string>& theory() const { return theory_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] const CoqProgram& program() const { return program_; }

  // May be called from several threads at a time. Compiles a file of the theory; those it requires
  // must have been. SP0710: Coq rejects it. SP0711: it holds what is not allowed (coq_allowed.hpp).
  // SP0719: a definition file says something else than definitions. SP0720: its name is another
  // file's. SP0701: Coq cannot be started.
  [[nodiscard]] exact::Result<void> compile(const std::string& path) const;

 private:
  std::map<std::string, std::string> theory_;
  CoqProgram program_;
  output::TemporaryFolder folder_;
};

// Of the Coq files with these paths, those whose modules a file with this text asks for.
std::vector<std::string> coq_required(const std::string& text,
                                      const std::map<std::string, std::string>& files);

// One claim's Coq files, and what Coq says of them.
class CoqClaim {
 public:
  // `files` are the claim's, by path; those that are not *.v do not count.
  CoqClaim(const CoqWorkspace& workspace, std::map<std::string, std::string> files);

  [[nodiscard]] const std::map<std::string, std::string>& files() const { return files_; }

  // The rest may be called from several threads at a time, for different files; what a file
  // requires of the theory and of the claim must have been compiled.

  // Compiles a statement file. SP0701, SP0710, SP0711 as above; SP0719: it says something else than
  // definitions, too many of them, or no sentence; SP0720: a name it introduces has a meaning where
  // it stands already.
  [[nodiscard]] exact::Result<void> state(const std::string& file, const std::string& where) const;

  // Compiles a proof file and asks CoqQuestion's questions about every theorem it ends with
  // (certificate::coq_theorems). SP0701, SP0710, SP0711, SP0720 to SP0723 as there. SP0712: the
  // assumptions cannot be read. SP0713: it rests on an axiom that is not allowed.
  [[nodiscard]] exact::Result<CoqProved> prove(const std::string& file,
                                               const std::string& where) const;

 private:
  [[nodiscard]] exact::Result<void> compile(const std::string& file, const std::string& text,
                                            const std::string& where) const;
  [[nodiscard]] exact::Result<std::string> run(const std::string& file,
                                               const std::string& where) const;
  [[nodiscard]] exact::Result<void> ask(const CoqQuestion& question, const std::string& file,
                                        const std::string& where) const;

  const CoqWorkspace& workspace_;
  std::map<std::string, std::string> files_;
  CoqStatements statements_;
  output::TemporaryFolder folder_;
};

}  // namespace sinkproof::prove
