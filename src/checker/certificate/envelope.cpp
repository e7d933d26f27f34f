#include "certificate/envelope.hpp"

#include <map>
#include <utility>

#include "certificate/schema.hpp"
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
                                                      {"language", Kind::kLanguage},
                                                      {"cover", Kind::kCover}};
    require(value.is_object(), where, "must be an object", "SP0503");
    Fields fields(value, where);
    Envelope envelope;
    fields.choice("kind", envelope.kind, kinds,
                  "must be \"theory\", \"checkpoint\", \"vectors\", \"language\" or \"cover\"",
                  "SP0503");
    // An older checkpoint certificate is told so by its own reader.
    const bool of_checkpoint = envelope.kind == Kind::kCheckpoint;
    std::int64_t format = 0;
    fields.integer("format", format, kFormat, of_checkpoint ? kCheckpointFormat : kFormat);
    fields.text("claim", envelope.claim);
    require(is_claim_id(envelope.claim), where, "claim is not a claim's id", "SP0503");
    envelope.value = std::move(value);
    return envelope;
  });
}

exact::Result<Envelope> read_envelope(const std::filesystem::path& path) {
  const auto bytes = file::read(path, kMaxCertificateBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_envelope(*bytes, path.string());
}

}  // namespace sinkproof::certificate
