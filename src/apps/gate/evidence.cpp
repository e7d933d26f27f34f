#include "gate/evidence.hpp"

#include <utility>

#include "certificate/sha256.hpp"
#include "file/file.hpp"

namespace sinkproof::gate {
namespace {

using json::Value;

// The number of the format a file says it has, when it says so.
std::optional<std::int64_t> format_of(const std::string& bytes, const std::string& where) {
  const auto value = json::parse_strict(bytes, where);
  if (!value || !value->is_object() || !value->contains("format")) return std::nullopt;
  const Value& format = (*value)["format"];
  if (!format.is_number_integer()) return std::nullopt;
  return format.get<std::int64_t>();
}

}  // namespace

Evidence read_evidence(const std::filesystem::path& path) {
  Evidence evidence;
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    evidence.reason = "there is no certificate yet";
    return evidence;
  }
  auto bytes = file::read(path, certificate::kMaxCertificateBytes);
  if (!bytes) {
    evidence.state = Evidence::State::kBroken;
    evidence.error = bytes.error();
    return evidence;
  }
  evidence.bytes = std::move(*bytes);
  evidence.sha256 = certificate::sha256_hex(evidence.bytes);
  auto envelope = certificate::parse_envelope(evidence.bytes, path.string());
  if (envelope) {
    evidence.state = Evidence::State::kReadable;
    evidence.envelope = std::move(*envelope);
    return evidence;
  }
  const auto format = format_of(evidence.bytes, path.string());
  if (format && *format < certificate::kFormat) {
    return stale(std::move(evidence), "its certificate has format " + std::to_string(*format) +
                                          ", but the checker reads format " +
                                          std::to_string(certificate::kFormat));
  }
  evidence.state = Evidence::State::kBroken;
  evidence.error = envelope.error();
  return evidence;
}

Evidence stale(Evidence evidence, std::string reason) {
  evidence.state = Evidence::State::kStale;
  evidence.reason = std::move(reason);
  return evidence;
}

}  // namespace sinkproof::gate
