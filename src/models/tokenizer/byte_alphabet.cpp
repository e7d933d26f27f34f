#include "tokenizer/byte_alphabet.hpp"

#include <array>

#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

constexpr char32_t kLast = 0x143;  // 68 bytes do not stand for themselves

struct Alphabet {
  std::array<char32_t, 256> character{};
  std::array<int, kLast + 1> byte{};
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet;
  alphabet.byte.fill(-1);
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool itself =
        (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    alphabet.character.at(byte) = itself ? byte : next++;
    alphabet.byte.at(alphabet.character.at(byte)) = static_cast<int>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();
static_assert(kAlphabet.byte.at(kLast) == 0xAD);

}  // namespace

std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    append_character(text, kAlphabet.character.at(static_cast<unsigned char>(byte)));
  }
  return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (character.bytes == 0 || character.value > kLast) return std::nullopt;
    const int byte = kAlphabet.byte.at(character.value);
    if (byte < 0) return std::nullopt;
    bytes += static_cast<char>(byte);
    at += character.bytes;
  }
  return bytes;
}

}  // namespace sinkproof::tokenizer
