// SHA-256 (FIPS 180-4) through OpenSSL: how a certificate names the claim and the model it speaks
// of.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::certificate {

// The digest of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// The digest of a regular file's bytes, read a block at a time. Errors of file::for_each_block.
exact::Result<std::string> sha256_hex_of_file(const std::filesystem::path& path);

// True for exactly 64 characters of 0-9a-f.
bool is_sha256_hex(std::string_view text);

}  // namespace sinkproof::certificate
