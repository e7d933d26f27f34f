// Reading Coq files and what coqc prints, as text: a proof that admits something must not pass
// because its words were not looked at.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::prove {

// The text without comments (they nest; strings are kept).
std::string without_coq_comments(std::string_view text);

// The first word outside comments that assumes something or switches a check off: Axiom, Parameter,
// Conjecture, Admitted, admit, give_up, bypass_check, Checking, Redirect, Load, Declare.
std::optional<std::string> forbidden_coq_word(std::string_view text);

// The axioms in the output of `Print Assumptions`, sorted; empty for "Closed under the global
// context". SP0712: output of any other form.
exact::Result<std::vector<std::string>> parse_assumptions(std::string_view output,
                                                          const std::string& where);

}  // namespace sinkproof::prove
