#include "gate/share_item.hpp"

#include <vector>

#include "exact/decimal.hpp"
#include "gate/finding.hpp"
#include "measure/sink_share.hpp"
#include "measure/token_rows.hpp"

namespace sinkproof::gate {
namespace {

using claim::Verdict;
using exact::Rational;

constexpr unsigned kDigits = 10;
constexpr std::size_t kMaxRows = 65536;  // of all samples together, as in `sinkproof measure`

std::string inputs_in_words(const ShareInputs& inputs) {
  return std::to_string(inputs.samples) + " random inputs of seed " + std::to_string(inputs.seed);
}

}  // namespace

void decide_share(ci::Finding& finding, const claim::Requirement& requirement,
                  const model::AttentionModel& model, const ShareInputs& inputs, unsigned jobs) {
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
  const auto share =
      measure::sink_share(model, measure::sequences(*rows), inputs.epsilon, inputs.position, jobs);
  if (!share) return lack(finding, share.error());
  const Rational lower = share->lower();
  const Rational upper = share->upper();
  finding.evidence = "interval";
  finding.lower = exact::decimal_down(lower, kDigits);
  finding.upper = exact::decimal_up(upper, kDigits);
  finding.assumptions = {inputs_in_words(inputs) + ", no others",
                         "the search's own interval arithmetic: no certificate"};
  const std::string found =
      "sink-share in [" + finding.lower + ", " + finding.upper + "] on " + inputs_in_words(inputs);
  const Verdict verdict = claim::decide(requirement, lower, upper);
  settle(finding, verdict, requirement.text, found);
}

}  // namespace sinkproof::gate
