#include "certificate/envelope.hpp"

#include <map>
#include <utility>

#include "certificate/fields.hpp"
#include "file/file.hpp"

namespace sinkproof::certificate {
bool is_claim_id(std::string_view text) {
  static const std::string letters = "abcdefghijklmnopqrstuvwxyz";
  return text.size() <= 64 && text.find_first_of(letters) == 0 &&
         text.find_first_not_of(letters + "0123456789-.") == std::string_view::npos;
}

std::string certificate_bytes(const json::Value& value) { return json::canonical(value) + "\n"; }

exact::Result<Envelope> parse_envelope(std::string_view bytes, const std::string& where) {
  return result_of([&]() -> Envelope {
    json::Value value = value_of(json::parse_strict(bytes, where));
    require(certificate_bytes(value) == bytes, where,
            "not canonical JSON (sorted keys, no spaces, one final line feed)", "SP0502");
    static const std::map<std::string, Kind> kinds = {{"theory", Kind::kTheory},
                                                      {"checkpoint", Kind::kCheckpoint},
                                                      {"vectors", Kind::kVectors},
                                                      {"language", Kind::kLanguage}};
    const Kind kind =
        at(kinds, text(value, "kind", where), where,
           "kind must be \"theory\", \"checkpoint\", \"vectors\" or \"language\"", "SP0503");
    // An older checkpoint certificate is told so by its own reader.
    integer(value, "format", kFormat, kind == Kind::kCheckpoint ? kCheckpointFormat : kFormat,
            where);
    std::string claim = text(value, "claim", where);
    require(is_claim_id(claim), where, "claim is not a claim's id", "SP0503");
    return {kind, std::move(claim), std::move(value)};
  });
}

exact::Result<Envelope> read_envelope(const std::filesystem::path& path) {
  const auto bytes = file::read(path, kMaxCertificateBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_envelope(*bytes, path.string());
}

}  // namespace sinkproof::certificate
