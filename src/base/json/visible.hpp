// Text of files, names and arguments as a terminal or a log may show it: nothing in it can move the
// cursor, begin a line, hide, or change the direction in which the rest is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/strict.hpp"

namespace sinkproof::json {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: the text does not begin with UTF-8
};

// The code point at the start of `text`. Precondition: `text` is not empty.
CodePoint first_code_point(std::string_view text);

// Control characters, line and paragraph separators, and those that set the direction of text or
// have no width. The two joiners of letters (U+200C, U+200D) are not among them.
bool is_hidden(std::uint32_t code_point);

// `text` in one line. Bytes below 0x20 and bytes that are not UTF-8 become \xNN, other hidden
// characters \uNNNN; everything else stays as it is.
std::string visible(std::string_view text);

// The name of a key within a sentence: itself where it is at most 80 letters, digits, `_`, `-` and
// `.`; else its first 80 characters as an ASCII JSON string, with "..." behind where there are
// more.
std::string shown_key(std::string_view key);

// JSON indented by 2 without a line feed at its end. Hidden characters in strings are escaped;
// bytes that are not UTF-8 become U+FFFD.
std::string visible_dump(const Value& value);

}  // namespace sinkproof::json
