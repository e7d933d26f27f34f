#include "report/content_policy.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <string>

namespace sinkproof::report {
namespace {

std::string digest(std::string_view text) {
  std::array<unsigned char, 32> hash{};
  EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  std::array<unsigned char, 45> letters{};  // base64, and a zero
  EVP_EncodeBlock(letters.data(), hash.data(), hash.size());
  return "sha256-" + std::string(letters.begin(), letters.end() - 1);
}

}  // namespace

std::string content_policy(std::string_view style, std::string_view script) {
  return fmt::format(
      "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
      digest(style), digest(script));
}

}  // namespace sinkproof::report
