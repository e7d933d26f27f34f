// Characters, normal forms and bytes that are none.
#include "tokenizer/unicode.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tokenizer/byte_alphabet.hpp"

using namespace sinkproof;
using namespace std::string_literals;

TEST_CASE("What is not UTF-8 is told from what is") {
  CHECK(tokenizer::is_utf8("a\u00E9\u6771\U0001F600\U0010FFFF\0"s));
  for (const char* bytes :
       {"\xE6\x9D", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xFF"}) {
    CHECK_FALSE(tokenizer::is_utf8(bytes));
  }
}

TEST_CASE("A byte that is part of a character is shown by its number") {
  CHECK(tokenizer::with_bytes_named("\xE6\x9D\xB1 \xE6\x9D") == "\u6771 <0xE6><0x9D>");
}

TEST_CASE("Normal forms, lower case and classes of characters") {
  using enum tokenizer::NormalForm;
  CHECK(tokenizer::normal_form("e\u0301\uFB01", kNfc) == "\u00E9\uFB01");
  CHECK(tokenizer::normal_form("\u00E9\uFB01", kNfd) == "e\u0301\uFB01");
  CHECK(tokenizer::normal_form("e\u0301\uFB01\uFF13", kNfkc) == "\u00E9fi3");
  CHECK(tokenizer::normal_form("\u00E9\u00BD", kNfkd) == "e\u03011\u20442");
  CHECK(tokenizer::normal_form("a\0b"s, kNfc) == "a\0b"s);
  CHECK(tokenizer::lower_case("\u0130A\u03A3\u1E9E") == "i\u0307a\u03C3\u00DF");
  CHECK(tokenizer::is_white_space(0x3000));
  CHECK_FALSE(tokenizer::is_white_space(0x180E));
  CHECK_FALSE(tokenizer::is_white_space(0x200B));
  CHECK(tokenizer::is_numeric(0x2167));
  CHECK_FALSE(tokenizer::is_numeric('a'));
  CHECK(tokenizer::is_word_character('_'));
  CHECK(tokenizer::is_word_character(0x24B6));
  CHECK_FALSE(tokenizer::is_word_character('-'));
}

TEST_CASE("GPT-2's byte alphabet: 256 characters, one for each byte, and back") {
  // Published: a space is U+0120, a line feed U+010A, the byte 0xAD the last of those made up,
  // U+0143.
  CHECK(tokenizer::to_byte_alphabet(" \n\xAD!\xFF") == "\u0120\u010A\u0143!\u00FF");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(tokenizer::from_byte_alphabet(tokenizer::to_byte_alphabet(all)) == all);
  CHECK_FALSE(tokenizer::from_byte_alphabet("a b").has_value());
  CHECK_FALSE(tokenizer::from_byte_alphabet("\u0144").has_value());
}
