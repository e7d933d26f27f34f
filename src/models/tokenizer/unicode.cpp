#include "tokenizer/unicode.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace sinkproof::tokenizer {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

int options(NormalForm form) {
  switch (form) {
    case NormalForm::kNfc:
      return UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    case NormalForm::kNfd:
      return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
    case NormalForm::kNfkc:
      return UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
    case NormalForm::kNfkd:
      return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
  }
  return 0;
}

const utf8proc_uint8_t* raw(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  utf8proc_int32_t value = 0;
  const auto bytes =
      utf8proc_iterate(raw(text) + at, static_cast<utf8proc_ssize_t>(text.size() - at), &value);
  if (bytes <= 0) return {};
  return {static_cast<char32_t>(value), static_cast<std::size_t>(bytes)};
}

std::size_t next_character(std::string_view text, std::size_t at) {
  do {
    ++at;
  } while (at < text.size() && continues_character(text[at]));
  return at;
}

std::size_t previous_character(std::string_view text, std::size_t at) {
  do {
    --at;
  } while (at > 0 && continues_character(text[at]));
  return at;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_at(text, at).bytes;
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

void append_character(std::string& text, char32_t value) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(value), bytes.data());
  text.append(bytes.begin(), bytes.begin() + size);
}

std::string_view category_of(char32_t value) {
  return utf8proc_category_string(static_cast<utf8proc_int32_t>(value));
}

bool is_white_space(char32_t value) {
  return (value >= 0x09 && value <= 0x0D) || value == 0x85 || category_of(value)[0] == 'Z';
}

bool is_numeric(char32_t value) { return category_of(value)[0] == 'N'; }

bool is_punctuation(char32_t value) {
  const bool ascii_sign = value > ' ' && value < 0x7F && category_of(value)[0] == 'S';
  return ascii_sign || category_of(value)[0] == 'P';
}

bool is_word_character(char32_t value) {
  const std::string_view category = category_of(value);
  if (category[0] == 'L' || category[0] == 'M' || category == "Nd" || category == "Nl" ||
      category == "Pc") {
    return true;
  }
  // The joiners, and the symbols that are Alphabetic: letters in circles and squares.
  return value == 0x200C || value == 0x200D || (value >= 0x24B6 && value <= 0x24E9) ||
         (value >= 0x1F130 && value <= 0x1F149) || (value >= 0x1F150 && value <= 0x1F169) ||
         (value >= 0x1F170 && value <= 0x1F189);
}

std::string normal_form(std::string_view text, NormalForm form) {
  if (text.empty()) return {};
  utf8proc_uint8_t* mapped = nullptr;
  const auto size = utf8proc_map(raw(text), static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                                 static_cast<utf8proc_option_t>(options(form)));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size < 0) throw std::bad_alloc();  // the text is UTF-8 and its length bounded
  return {mapped, mapped + size};
}

std::string lower_case(std::string_view text) {
  std::string lower;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    at += character.bytes;
    if (character.value == 0x130) {  // the one character whose lower case is two
      lower += "i\xCC\x87";
    } else {
      append_character(
          lower,
          static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character.value))));
    }
  }
  return lower;
}

std::string with_bytes_named(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t whole = character_at(bytes, at).bytes;
    text += whole > 0 ? std::string(bytes.substr(at, whole))
                      : fmt::format("<0x{:02X}>", byte_at(bytes, at));
    at += whole > 0 ? whole : 1;
  }
  return text;
}

}  // namespace sinkproof::tokenizer
