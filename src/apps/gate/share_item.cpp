#include "gate/share_item.hpp"

#include <fmt/format.h>

#include <vector>

#include "accept/accept.hpp"
#include "certificate/envelope.hpp"
#include "check/check.hpp"
#include "gate/digits.hpp"
#include "gate/finding.hpp"
#include "gate/proved_checker.hpp"
#include "measure/share_certificate.hpp"
#include "measure/token_rows.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::gate {
namespace {

using claim::Verdict;
using exact::Rational;

constexpr std::size_t kMaxRows = 65536;  // of all samples together, as in `sinkproof sink-share`

std::string inputs_in_words(const ShareInputs& inputs) {
  return fmt::format("{} random inputs of seed {}, attention on position {} above {}",
                     inputs.samples, inputs.seed, inputs.position,
                     exact::to_string(inputs.epsilon));
}

}  // namespace

void decide_share(ci::Finding& finding, const claim::Requirement& requirement,
                  const model::AttentionModel& model, const std::string& bytes,
                  const std::filesystem::path& claims, const std::string& claim_hash,
                  const CheckpointRequest& request) {
  const ShareInputs& inputs = request.share;
  finding.certificate.clear();
  if (inputs.samples > kMaxRows / model.length) {
    return lack(finding, {"SP1702", "field \"samples\"",
                          "times length " + std::to_string(model.length) + " is over " +
                              std::to_string(kMaxRows) + " rows"});
  }
  measure::TokenSource source;
  source.random = inputs.samples;
  source.seed = inputs.seed;
  const auto rows = measure::read_token_rows(source, model, kMaxRows);
  if (!rows) return lack(finding, rows.error());
  const auto certified = measure::certified_share(
      {model, source, *rows, inputs.epsilon, inputs.position, request.jobs, {bytes}, claim_hash},
      [&](const json::Value& made, const std::vector<std::string>& files) {
        return accept::accepted(check::check_checkpoint(made, files));
      });
  if (!certified) return lack(finding, certified.error());
  const Rational lower = certified->share.lower();
  const Rational upper = certified->share.upper();
  finding.evidence = "exact";
  finding.lower = rounded::decimal_down(lower, kDigits);
  finding.upper = rounded::decimal_up(upper, kDigits);
  finding.assumptions = {inputs_in_words(inputs) + " only"};
  const std::string found =
      "sink-share in [" + finding.lower + ", " + finding.upper + "] on " + inputs_in_words(inputs);
  const Verdict verdict = claim::decide(requirement, lower, upper);
  settle(finding, verdict, requirement.text, found);
  if (!request.verified) return;
  const std::string made = certificate::certificate_bytes(certified->certificate);
  demand_proved(finding, ask_proved_checker(made, bytes, claims, request.limits),
                {{"sink-share", ""}});
}

}  // namespace sinkproof::gate
