// GPT-2's byte alphabet: a printable character for each byte, so that a vocabulary of byte strings
// can be written as text. Bytes 0x21-0x7E, 0xA1-0xAC and 0xAE-0xFF stand for themselves, the
// others, in order, are U+0100, U+0101, ...
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sinkproof::tokenizer {

std::string to_byte_alphabet(std::string_view bytes);

// Nothing where a character of `text` (UTF-8) stands for no byte.
std::optional<std::string> from_byte_alphabet(std::string_view text);

}  // namespace sinkproof::tokenizer
