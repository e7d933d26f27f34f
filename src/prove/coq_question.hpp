// What Coq is asked about a proof file: does each of its theorems say the sentence of the same
// name, with which axioms, and can the sentence's hypotheses be met? The questions stand in a file
// of our own that imports nothing, so that no notation, coercion, tactic or shorter name of a proof
// file is in force there, and the kernel compares types, not texts.
#pragma once

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
    std::vector<std::string> own;        // its Definitions that are no sentences
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

  // The file to compile beside the claim's, which are known as Claim.MODULE. It writes what the
  // theorems rest on, together, into a file of this name.
  static constexpr const char* kAnswer = "assumptions.out";
  [[nodiscard]] std::string text() const;

  // What a complaint of Coq's about that file means: SP0721, a theorem does not say its sentence;
  // SP0722, the sentence's hypotheses are not shown to hold together.
  [[nodiscard]] exact::Error explain(const std::string& complaint, const std::string& where) const;

 private:
  struct Line {
    std::string text;
    std::string code;  // of the error when Coq refuses the line; "" where it cannot
    std::string what;
  };
  std::vector<Line> lines_;
};

}  // namespace sinkproof::prove
