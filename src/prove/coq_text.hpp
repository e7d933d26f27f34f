// Reading Coq files and what coqc prints, as text: a proof that admits something must not pass
// because its words were not looked at.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::prove {

// The first word outside comments that assumes something or switches a check off: Axiom, Parameter,
// Conjecture, Admitted, admit, give_up, bypass_check, Checking, Redirect, Load, Declare,
// Extraction, Module,
// Universes, fix, cofix, CoFixpoint, CoInductive, Function, Program, Equations, Ltac2.
std::optional<std::string> forbidden_coq_word(std::string_view text);

// What else a file of a claim or of the theory may not hold; "" when there is nothing: a comment
// that begins right behind a character (a notation could make one token of the two, so that Coq
// reads code where we read a comment), a command Cd or Print, statements joined by `with`, and a
// Fixpoint whose own name stands in an argument of itself, is not applied, or stands twice beside
// `let`: the guard checker of Coq 8.16 accepts some of these that are no definitions (rocq-prover
// issue 20413), with False as a consequence.
std::string forbidden_coq_form(std::string_view text);

// The words of the sentences that contain Require, which name all modules the text asks for.
std::set<std::string> coq_required_words(std::string_view text);

// The line, from 1, that coqc complains of; 0 when it names none.
std::size_t coq_complaint_line(const std::string& complaint);

// The text without the last `count` lines that are not empty: its Print Assumptions (FORMAT.md,
// 3.6).
std::string without_coq_questions(std::string_view text, std::size_t count);

// The axioms in the output of `Print Assumptions`, sorted; empty for "Closed under the global
// context". SP0712: output of any other form.
exact::Result<std::vector<std::string>> parse_assumptions(std::string_view output,
                                                          const std::string& where);

}  // namespace sinkproof::prove
