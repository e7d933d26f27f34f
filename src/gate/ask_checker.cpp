#include "gate/ask_checker.hpp"

#include "check/check.hpp"
#include "check/theory.hpp"

namespace sinkproof::gate {

exact::Result<void> ask_checker(const json::Value& certificate,
                                const std::filesystem::path& claim_folder) {
  const check::TheoryCheck checked = check::check_theory(certificate, claim_folder);
  if (checked.verdict == "rejected") return tl::unexpected(checked.error);
  return {};
}

certify::Accept checkpoint_checker(const std::string& model_bytes) {
  return [&model_bytes](const json::Value& certificate) -> exact::Result<void> {
    const check::Outcome outcome = check::check_checkpoint(certificate, model_bytes);
    if (outcome.exit_code == 0) return {};
    return exact::fail(outcome.code, "", outcome.reason);
  };
}

}  // namespace sinkproof::gate
