#include "certificate/envelope.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "certificate/checkpoint.hpp"
#include "certificate/fields.hpp"
#include "file/file.hpp"

namespace sinkproof::certificate {
namespace {

std::optional<Kind> kind_of(const std::string& name) {
  if (name == "theory") return Kind::kTheory;
  if (name == "checkpoint") return Kind::kCheckpoint;
  if (name == "vectors") return Kind::kVectors;
  return std::nullopt;
}

}  // namespace

bool is_claim_id(std::string_view text) {
  constexpr std::size_t longest = 64;
  if (text.empty() || text.size() > longest || text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

std::string certificate_bytes(const json::Value& value) { return json::canonical(value) + "\n"; }

exact::Result<Envelope> parse_envelope(std::string_view bytes, const std::string& where) {
  auto value = json::parse_strict(bytes, where);
  if (!value) return tl::unexpected(value.error());
  if (certificate_bytes(*value) != bytes) {
    return exact::fail("SP0502", where,
                       "not canonical JSON (sorted keys, no spaces, one final line feed)");
  }
  const auto kind = string_field(*value, "kind", where);
  if (!kind) return tl::unexpected(kind.error());
  const auto known = kind_of(*kind);
  if (!known) {
    return exact::fail("SP0503", where, "kind must be \"theory\", \"checkpoint\" or \"vectors\"");
  }
  // An older checkpoint certificate is told so by its own reader.
  const std::int64_t newest = *known == Kind::kCheckpoint ? kCheckpointFormat : kFormat;
  const auto format = integer_field(*value, "format", kFormat, newest, where);
  if (!format) return tl::unexpected(format.error());
  auto claim = string_field(*value, "claim", where);
  if (!claim) return tl::unexpected(claim.error());
  if (!is_claim_id(*claim)) return exact::fail("SP0503", where, "claim is not a claim's id");
  return Envelope{*known, std::move(*claim), std::move(*value)};
}

exact::Result<Envelope> read_envelope(const std::filesystem::path& path) {
  const auto bytes = file::read(path, kMaxCertificateBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_envelope(*bytes, path.string());
}

}  // namespace sinkproof::certificate
