#include "gate/share_item.hpp"

#include <vector>

#include "exact/decimal.hpp"
#include "gate/finding.hpp"
#include "measure/sink_share.hpp"
#include "train/task.hpp"

namespace sinkproof::gate {
namespace {

using claim::Verdict;
using exact::Rational;

constexpr unsigned kDigits = 10;
constexpr std::size_t kMaxRows = 65536;  // of all samples together, as in `sinkproof measure`

// Sample s of the inputs is sample s of step 0 of the training run with this seed.
std::vector<exact::RationalMatrix> draw(const model::AttentionModel& model,
                                        const ShareInputs& inputs) {
  train::Shape shape;
  shape.d_model = model.d_model;
  shape.length = model.length;
  std::vector<exact::RationalMatrix> samples;
  for (std::size_t number = 0; number < inputs.samples; ++number) {
    const train::Sample drawn =
        train::draw_sample(shape, {inputs.seed, 0}, static_cast<std::uint32_t>(number));
    exact::RationalMatrix sample(model.length, model.d_model);
    for (std::size_t i = 0; i < model.length; ++i) {
      for (std::size_t j = 0; j < model.d_model; ++j) {
        sample(i, j) = exact::from_double(static_cast<double>(drawn.tokens[i * model.d_model + j]));
      }
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

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
  const auto share =
      measure::sink_share(model, draw(model, inputs), inputs.epsilon, inputs.position, jobs);
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
