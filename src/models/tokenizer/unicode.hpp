// Text as Unicode has it, by utf8proc (Unicode 15 in Debian 12).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinkproof::tokenizer {

bool is_utf8(std::string_view text);

struct Character {
  char32_t value = 0;
  std::size_t bytes = 0;
};

// The character at byte `at` of `text`; bytes = 0 where none is encoded there (surrogates, overlong
// forms and values beyond U+10FFFF included).
Character character_at(std::string_view text, std::size_t at);

// The byte where the character after the one at `at` begins, or the one before; of UTF-8.
std::size_t next_character(std::string_view text, std::size_t at);
std::size_t previous_character(std::string_view text, std::size_t at);

void append_character(std::string& text, char32_t value);

// The general category: "Lu", "Mn", "Cn", ...
std::string_view category_of(char32_t value);
bool is_white_space(char32_t value);  // the property White_Space
bool is_numeric(char32_t value);      // general categories Nd, Nl, No
bool is_punctuation(char32_t value);  // general categories P*, and the signs of ASCII
// Alphabetic, marks, decimal digits, connectors and joiners: \w of UTS #18, annex C.
bool is_word_character(char32_t value);

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

// `text` is UTF-8 in both.
std::string normal_form(std::string_view text, NormalForm form);
std::string lower_case(
    std::string_view text);  // character by character, as its context may say no more

// `bytes` with <0xE5> in place of each byte of what is not a character.
std::string with_bytes_named(std::string_view bytes);

}  // namespace sinkproof::tokenizer
