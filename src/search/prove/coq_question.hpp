// What Coq is asked about a file it has compiled, in a file of our own that imports nothing of the
// claim's, so that no notation, tactic or shorter name of a claim's file is in force there. Of a
// proof file: does each of its theorems say the sentence of the same name, with which axioms, can
// the sentence's hypotheses be met, and is every recursion in every term a plain one? Of a
// statement file: are the names it introduces new? The kernel compares types and terms, not texts;
// src/search/prove/coq_plugin holds the commands that it has not.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::prove {

// What the statement files of a claim say.
struct CoqStatements {
  struct File {
    std::string module;                  // "statement"
    std::vector<std::string> sentences;  // in its order
  };
  std::vector<File> files;
  std::set<std::string> instances;  // sentences for which some proof file has NAME_instance
};

class CoqQuestion {
 public:
  // `theorems` are those the proof file of that module ends with. SP0721: one is neither a sentence
  // nor an instance of one.
  static exact::Result<CoqQuestion> about(const std::string& module,
                                          const std::vector<std::string>& theorems,
                                          const CoqStatements& statements,
                                          const std::string& where);

  // `preamble`: the imports and scopes of the statement file of that module, a line each;
  // `of_definitions`: those of the definition files that it rests on.
  static CoqQuestion about_names(const std::string& module, const std::string& preamble,
                                 const std::string& of_definitions);

  // The file to compile beside the claim's, which are known as Claim.MODULE.
  [[nodiscard]] std::string text() const;

  // The file that it writes: what the theorems rest on, together.
  [[nodiscard]] std::string answer() const { return answer_ + ".out"; }

  // What a complaint of Coq's about that file means. SP0711: a recursion that is not plain, or
  // another term that is not allowed. SP0720: a name has a meaning already, or two definition files
  // introduce it. SP0721: a theorem does not say its sentence. SP0722: the sentence's hypotheses
  // are not shown to hold together. SP0723: it hides them, or its conclusion is of no known form.
  [[nodiscard]] exact::Error explain(const std::string& complaint, const std::string& where) const;

 private:
  struct Line {
    std::string text;
    std::string code;  // of the error when Coq refuses the line; "" where it cannot
    std::string what;
  };
  void ask_theorem(const std::string& module, const std::string& theorem,
                   const CoqStatements& statements, std::size_t number);
  std::vector<Line> lines_;
  std::vector<std::string> defined_;  // names of what the theorems are asked as
  std::string answer_;
};

}  // namespace sinkproof::prove
