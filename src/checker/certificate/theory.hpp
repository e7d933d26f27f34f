// What a theory certificate's steps are (FORMAT.md, section 3). A step is a file of the claim's
// folder, and the end of the file's name fixes the rule, so that nothing but the folder says what
// has to be shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinkproof::certificate {

enum class Rule {
  kImplication,
  kIdentity,
  kConstruction,
  kVectors,
  kSmt,
  kCoq,
  kProse,
  kStatement
};

// One or more components joined by '/', each within [A-Za-z0-9._-] and neither "." nor "..": a path
// that stays within a claim's folder.
bool is_path_within(std::string_view path);

// NAME.implication.json, NAME.identity.json, NAME.construction.json, NAME.vectors.json,
// NAME.smt2 (but not NAME.mutant.smt2), statement files (certificate/coq_statement.hpp), NAME.v,
// NAME.prose.md; nothing for any other path.
std::optional<Rule> rule_of_file(std::string_view path);

// "implication", "polynomial-identity", "construction", "vectors", "smt", "coq-statement",
// "coq-theorem", "prose".
std::string rule_name(Rule rule);

// Whether claim.toml may name a step's file as what states the claim (FORMAT.md, 3.2). Coq's
// sentences have names of their own; a step of rule `vectors` is an instance and no statement of a
// claim.
bool may_be_said(Rule rule);

// The mutant that goes with NAME.smt2: NAME.mutant.smt2.
std::string mutant_of(std::string_view lemma);

// The axioms of the standard reals, which a Coq proof may rest on, sorted.
const std::vector<std::string>& allowed_coq_axioms();

// The theorems a Coq file stands for, in the order of the file: the names in the lines
// `Print Assumptions NAME.` it ends with (white space after them does not count). Empty when its
// last line is no such line.
std::vector<std::string> coq_theorems(std::string_view text);

}  // namespace sinkproof::certificate
