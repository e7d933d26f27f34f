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
  if (name == "language") return Kind::kLanguage;
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
  return result_of([&]() -> Envelope {
    json::Value value = value_of(json::parse_strict(bytes, where));
    require(certificate_bytes(value) == bytes, where,
            "not canonical JSON (sorted keys, no spaces, one final line feed)", "SP0502");
    const auto kind = kind_of(text(value, "kind", where));
    require(kind.has_value(), where,
            "kind must be \"theory\", \"checkpoint\", \"vectors\" or \"language\"", "SP0503");
    // An older checkpoint certificate is told so by its own reader.
    integer(value, "format", kFormat, *kind == Kind::kCheckpoint ? kCheckpointFormat : kFormat,
            where);
    std::string claim = text(value, "claim", where);
    require(is_claim_id(claim), where, "claim is not a claim's id", "SP0503");
    return {*kind, std::move(claim), std::move(value)};
  });
}

exact::Result<Envelope> read_envelope(const std::filesystem::path& path) {
  const auto bytes = file::read(path, kMaxCertificateBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_envelope(*bytes, path.string());
}

}  // namespace sinkproof::certificate
