#include "accept/accept.hpp"

#include <atomic>

#include "certificate/claim_hash.hpp"
#include "certificate/strict.hpp"
#include "check/find.hpp"
#include "theory/theory.hpp"

namespace sinkproof::accept {
namespace {

std::atomic<std::uint64_t> slowest = 0;

// The outcomes with exit 0 that say something good. "statistical": the caller accepts a bound
// in confidence.
bool is_good(const check::Outcome& outcome) {
  return outcome.verdict == "proved" || outcome.verdict == "enclosed" ||
         outcome.verdict == "statistical";
}

// The outcomes with exit 3 that say something: "unknown" without evidence is a certificate nobody
// checked to its end.
bool is_partial(const check::Outcome& outcome) {
  if (outcome.verdict == "unknown") return !outcome.evidence.empty();
  return outcome.verdict == "holey" || outcome.verdict == "bounded" ||
         outcome.verdict == "statistical";
}

}  // namespace

std::uint64_t slowest_check() { return slowest; }

Standing standing_of(const check::Outcome& outcome) {
  if (outcome.exit_code == 4 || outcome.verdict == "rejected") return Standing::kRejected;
  if (outcome.exit_code == 0 && is_good(outcome)) return Standing::kAccepted;
  if (outcome.exit_code == 3 && is_partial(outcome)) return Standing::kPartly;
  return Standing::kNotChecked;
}

bool shows_bounds(const check::Outcome& outcome) {
  const Standing standing = standing_of(outcome);
  return standing == Standing::kAccepted || standing == Standing::kPartly;
}

exact::Result<void> accepted(const check::Outcome& outcome) {
  std::uint64_t most = slowest;
  while (outcome.milliseconds > most &&
         !slowest.compare_exchange_weak(most, outcome.milliseconds)) {
  }
  if (standing_of(outcome) == Standing::kAccepted) return {};
  return exact::fail(outcome.code, "", outcome.reason);
}

exact::Result<void> ask_about_checkpoint(const json::Value& certificate,
                                         const std::vector<std::string>& files) {
  return accepted(check::check_checkpoint(certificate, files));
}

exact::Result<void> ask_about_vectors(const json::Value& certificate,
                                      const std::vector<std::string>& files) {
  return accepted(check::check_vectors(certificate, files));
}

exact::Result<void> ask_about_cover(const json::Value& certificate,
                                    const std::filesystem::path& folder) {
  return accepted(check::check_cover(certificate, {folder}));
}

exact::Result<void> ask_about_theory(const json::Value& certificate,
                                     const std::filesystem::path& claim_folder) {
  return certificate::result_of([&] { check::check_theory(certificate, claim_folder); });
}

exact::Result<std::string> claim_text_hash(const std::string& claim,
                                           const std::optional<std::filesystem::path>& claims,
                                           const std::filesystem::path& certificate) {
  const auto folder = check::find_claim(claim, claims, certificate);
  if (!folder) return tl::unexpected(folder.error());
  return certificate::claim_hash(*folder);
}

}  // namespace sinkproof::accept
