#include "check/sampling.hpp"

#include "check/rejected.hpp"
#include "check/witness.hpp"
#include "forward/drawn.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;

constexpr unsigned kBits = 128;

// Whether the trigger row's loss is at most eta for certain.
bool is_within(const forward::Prepared& model, const forward::DrawnSequence& sample,
               const Rational& eta) {
  const std::size_t row = sample.trigger;
  const auto out = forward::pass(model, sample.tokens, row, kBits);
  if (!out) return false;
  for (std::size_t r = 0; r < sample.tokens.columns(); ++r) {
    const Rational aim = target(sample.tokens, row, row, r, model.model().blocks.front().residual);
    const exact::Enclosure entry = forward::entry(*out, row, r, kBits);
    if (entry.upper - aim > eta || aim - entry.lower > eta) return false;
  }
  return true;
}

}  // namespace

void require_samples_within(const forward::Prepared& model, const certificate::Checkpoint& stated,
                            const certificate::Sampled& sampled, certificate::Work& work) {
  const std::string name = "theorem.tc-2";
  const std::string key = "sinkproof tc-2\n" + stated.model.sha256 + "\n" +
                          std::to_string(stated.length) + "\n" + exact::to_string(sampled.eta) +
                          "\n" + std::to_string(sampled.samples) + "\n";
  work.spend({sampled.samples, sampled.exceeding}, name);
  for (std::uint64_t i = 0; i < sampled.samples; ++i) {
    forward::spend_pass(model.model(), stated.length, 1, kBits, work, name);
  }
  std::uint64_t exceeding = 0;
  for (std::uint64_t i = 0; i < sampled.samples; ++i) {
    const auto sample = forward::drawn_sequence(key + std::to_string(i) + "\n", stated.length,
                                                stated.model.d_model, true);
    if (is_within(model, sample, sampled.eta)) continue;
    ++exceeding;
    require(exceeding <= sampled.exceeding, name, "more samples exceed eta than it admits");
  }
}

void require_confidence(const certificate::Sampled& sampled) {
  const Rational& alpha = sampled.alpha;
  const Integer p = boost::multiprecision::numerator(sampled.delta);
  const Integer q = boost::multiprecision::denominator(sampled.delta);
  const auto trials = static_cast<unsigned>(sampled.samples);
  // Terms binomial(N, k) p^k (q-p)^(N-k), starting at k = 0; each is the last one times
  // (N-k) p / ((k+1) (q-p)), exactly.
  Integer term = boost::multiprecision::pow(Integer(q - p), trials);
  Integer tail = term;
  for (unsigned k = 0; k < sampled.exceeding; ++k) {
    term = term * (trials - k) * p / (Integer(k + 1) * (q - p));
    tail += term;
  }
  const Integer all = boost::multiprecision::pow(q, trials);
  const Integer f = boost::multiprecision::denominator(sampled.eta);
  const Integer choices = 29 * f * f * trials;
  require(choices * tail * boost::multiprecision::denominator(alpha) <=
              boost::multiprecision::numerator(alpha) * all,
          "theorem.tc-2", "delta is below what the samples show at this confidence");
}

}  // namespace sinkproof::check
