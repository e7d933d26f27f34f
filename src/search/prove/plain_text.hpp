// The characters that a claim's Coq files and SMT lemmas may hold: none that looks like another,
// and none that one program takes for the end of a line or of the file and another does not (cvc5
// ends a comment at a carriage return, Z3 goes on; Z3 stops reading at a NUL).
#pragma once

#include <algorithm>
#include <string_view>

namespace sinkproof::prove {

// Line feeds and printable ASCII.
inline bool is_plain_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
}

}  // namespace sinkproof::prove
