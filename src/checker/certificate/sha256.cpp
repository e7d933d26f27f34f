#include "certificate/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <stdexcept>

#include "file/file.hpp"

namespace sinkproof::certificate {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// A digest under way.
class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void add(std::string_view bytes) {
    require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), &length) == 1);
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
      text += kDigits[digest[i] >> 4U];
      text += kDigits[digest[i] & 15U];
    }
    return text;
  }

 private:
  static void require(bool done) {
    if (!done) throw std::runtime_error("OpenSSL has no SHA-256");
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.hex();
}

exact::Result<std::string> sha256_hex_of_file(const std::filesystem::path& path) {
  Digest digest;
  const auto read = file::for_each_block(path, [&](std::string_view block) { digest.add(block); });
  if (!read) return tl::unexpected(read.error());
  return digest.hex();
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace sinkproof::certificate
