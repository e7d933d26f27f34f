#include "report/claim_words.hpp"

#include "accept/accept.hpp"
#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"

namespace sinkproof::report {

std::optional<std::string> text_in(const json::Value& object, const std::string& key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return std::nullopt;
  return object[key].get<std::string>();
}

std::optional<std::string> claim_id(const json::Value& certificate) {
  auto id = text_in(certificate, "claim");
  if (id && !certificate::is_claim_id(*id)) id.reset();
  return id;
}

std::optional<claim::Claim> words_of(const json::Value& certificate, const Options& options) {
  const auto id = claim_id(certificate);
  const auto named = text_in(certificate, "claim_sha256");
  if (!options.claims || !id || !named) return std::nullopt;
  const std::filesystem::path folder = *options.claims / *id;
  const auto hash = certificate::claim_hash(folder);
  if (!hash || *hash != *named) return std::nullopt;
  auto words = claim::load_claim(folder);
  if (!words) return std::nullopt;
  return *std::move(words);
}

AcceptedClaims accepted_claims(const std::vector<const Input*>& theory, const Options& options) {
  AcceptedClaims found;
  for (const Input* input : theory) {
    const auto id = claim_id(input->certificate);
    const bool holds = accept::standing_of(input->outcome) == accept::Standing::kAccepted;
    if (id && holds && words_of(input->certificate, options)) found[*id] = &input->certificate;
  }
  return found;
}

}  // namespace sinkproof::report
