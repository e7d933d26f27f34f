// Reading Coq files as text: their commands, words and the names they introduce. Nothing is
// believed because of it; it is for telling a person, and Coq, what to look at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinkproof::claim {

// From the character that opens a comment to the one behind its end, or the text's.
struct CoqComment {
  std::size_t begin;
  std::size_t end;
};

// The comments of a text that are in no other; those in strings are none.
std::vector<CoqComment> coq_comments(std::string_view text);

// The text with a blank in place of each of a comment's characters but line feeds.
std::string without_coq_comments(std::string_view text);

// From the first character of a command, comments before it left out, to the point that ends it, or
// the text's end.
struct CoqRange {
  std::size_t begin;
  std::size_t end;
};

// Where the commands of a text stand; what follows the last point too, if it is not blank.
std::vector<CoqRange> coq_command_ranges(std::string_view text);

// The commands of the text, without comments, the white space around them and the point that ends
// them; what follows the last point too, if it is not blank.
std::vector<std::string> coq_commands(std::string_view text);

// The words of a text without comments: maximal runs of letters, digits, _ and '.
std::vector<std::string> coq_words(std::string_view text);

// The text's imports and scopes, a line each: what decides the meaning of its names and signs.
std::string coq_preamble(std::string_view text);

// Whether the words of a command are those of a Definition, Fixpoint, Record or Inductive.
bool defines_something(const std::vector<std::string>& words);

// Every name the text introduces: definitions, records with their constructors and fields,
// inductive types with their constructors.
std::vector<std::string> coq_introduced(std::string_view text);

bool is_coq_word_character(char c);

}  // namespace sinkproof::claim
