// Has Coq check a claim's proof file, in a temporary copy: nothing is ever written into proofs/.
// The shared theory is compiled once per run (seconds), each claim's file once.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
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
  // `theory` holds the shared *.v files by name ("trigger_task.v").
  explicit CoqWorkspace(std::map<std::string, std::string> theory) : theory_(std::move(theory)) {}

  // False when coqc or coqdep is not installed.
  static bool is_available();

  // Compiles `file` (its name and text) and asks for the assumptions of every theorem it ends with
  // (certificate::coq_theorems). SP0710: Coq rejects the file. SP0711: the file or the theory
  // contains a word that assumes something. SP0712: it ends with no Print Assumptions, or their
  // output cannot be read. SP0713: it rests on an axiom that is not allowed. SP0701: Coq cannot be
  // started.
  exact::Result<std::vector<CoqTheorem>> prove(const std::string& file, const std::string& text,
                                               const std::string& where);

 private:
  exact::Result<void> compile_theory();

  std::map<std::string, std::string> theory_;
  TemporaryFolder folder_;
  std::mutex mutex_;
  std::optional<exact::Result<void>> compiled_;  // once tried
};

}  // namespace sinkproof::prove
