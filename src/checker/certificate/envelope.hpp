// The outer form every certificate shares (FORMAT.md, section 1): one canonical JSON object and one
// line feed, so that equal certificates are equal bytes and no reader can see something another
// does not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

inline constexpr std::uint64_t kMaxCertificateBytes = std::uint64_t{256} << 20U;
inline constexpr std::int64_t kFormat = 1;
inline constexpr std::int64_t kCheckpointFormat = 2;

enum class Kind { kTheory, kCheckpoint, kVectors, kLanguage, kCover };

struct Envelope {
  Kind kind = Kind::kTheory;
  std::string claim;  // "tc-1": the claim's id, which is also the name of its folder
  json::Value value;  // the whole object; what lies below the common keys is the kind's own
};

// SP0301: not strict JSON. SP0502: not the canonical bytes of its value followed by one line feed.
// SP0503: `format` is not 1, `kind` is not known, `claim` is not an id.
exact::Result<Envelope> parse_envelope(std::string_view bytes, const std::string& where);
// Also SP0201 and SP0202 (more than kMaxCertificateBytes).
exact::Result<Envelope> read_envelope(const std::filesystem::path& path);

// The bytes of the certificate that holds `value`.
std::string certificate_bytes(const json::Value& value);

// A claim's id: lower-case letters, digits, '-' and '.', 1 to 64 of them, the first a letter.
bool is_claim_id(std::string_view text);

}  // namespace sinkproof::certificate
