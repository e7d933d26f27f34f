#include "report/content_policy.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "certificate/sha256.hpp"

namespace sinkproof::report {
namespace {

std::uint32_t hex_digit(char c) {
  return static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
}

// Of bytes given as hexadecimal digits; a digest's 32 leave two over, hence one '='.
std::string base64_of_digest(const std::string& hex) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  // Three hexadecimal digits are twelve bits: two letters.
  for (std::size_t at = 0; at < hex.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = at; i < at + 3; ++i) {
      bits = (bits << 4U) | (i < hex.size() ? hex_digit(hex[i]) : 0);
    }
    text += kAlphabet[bits >> 6U];
    text += kAlphabet[bits & 63U];
  }
  text.back() = '=';  // 64 digits end in a group of one: its second letter holds no bits of theirs
  return text;
}

std::string digest(std::string_view text) {
  return "sha256-" + base64_of_digest(certificate::sha256_hex(text));
}

}  // namespace

std::string content_policy(std::string_view style, std::string_view script) {
  return fmt::format(
      "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
      digest(style), digest(script));
}

}  // namespace sinkproof::report
