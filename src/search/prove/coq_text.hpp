// Reading Coq files and what coqc prints, as text.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"

namespace sinkproof::prove {

// The words of the sentences that contain Require, which name all modules the text asks for.
std::set<std::string> coq_required_words(std::string_view text);

// What stands between the white space of the text.
std::vector<std::string> words_at_blanks(std::string_view text);

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
