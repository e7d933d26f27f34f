#include "report/claim_words.hpp"

#include "accept/accept.hpp"
#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certificate/fields.hpp"

namespace sinkproof::report {

std::optional<std::string> claim_id(const json::Value& certificate) {
  const auto id =
      certificate::result_of([&] { return certificate::text(certificate, "claim", ""); });
  if (!id || !certificate::is_claim_id(*id)) return std::nullopt;
  return *id;
}

std::optional<claim::Claim> words_of(const json::Value& certificate, const Options& options) {
  const auto id = claim_id(certificate);
  const auto named =
      certificate::result_of([&] { return certificate::text(certificate, "claim_sha256", ""); });
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
