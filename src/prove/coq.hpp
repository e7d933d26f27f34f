// Has Coq check a claim's proof file, in a temporary copy: nothing is ever written into proofs/.
// Each file of the shared theory is compiled once per run (up to 5 s), each claim's file once: 2 s,
// and half a second more for each of its theorems.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "prove/temporary_folder.hpp"

namespace sinkproof::prove {

struct CoqTheorem {
  std::string name;
  std::vector<std::string> assumptions;  // axioms it rests on, sorted
};

class CoqWorkspace {
 public:
  // `theory` holds the shared files by name ("trigger_task.v"); those that are not *.v do not
  // count.
  explicit CoqWorkspace(std::map<std::string, std::string> theory);

  // False when coqc is not installed.
  static bool is_available();

  [[nodiscard]] const std::map<std::string, std::string>& theory() const { return theory_; }
  // The files of the theory that a file with this text asks for.
  [[nodiscard]] std::vector<std::string> required_by(const std::string& text) const;

  // The rest may be called from several threads at a time.

  // Compiles a file of the theory; those it requires must have been. SP0710: Coq rejects it.
  // SP0711: it contains a word that assumes something. SP0701: Coq cannot be started.
  [[nodiscard]] exact::Result<void> compile(const std::string& name) const;

  // Compiles `file` (its name and text) and asks for the assumptions of every theorem it ends with
  // (certificate::coq_theorems); what it requires of the theory must have been compiled. SP0710,
  // SP0711, SP0701 as above. SP0712: it ends with no Print Assumptions, or their output cannot be
  // read. SP0713: it rests on an axiom that is not allowed.
  [[nodiscard]] exact::Result<std::vector<CoqTheorem>> prove(const std::string& file,
                                                             const std::string& text,
                                                             const std::string& where) const;

 private:
  std::map<std::string, std::string> theory_;
  TemporaryFolder folder_;  // the theory, compiled
};

}  // namespace sinkproof::prove
