#include "sampling/sampling.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "attention/witness.hpp"
#include "certificate/rule.hpp"
#include "forward/drawn.hpp"

namespace sinkproof::check {
namespace {

using certificate::RandomStatement;
using certificate::Sampled;
using exact::Integer;
using exact::Rational;

constexpr unsigned kBits = 128;  // of theorem.tc-2
constexpr unsigned kRandomBits[] = {64, 128};

// The numbers of samples and exceedances show delta with confidence 1 - alpha; `price` is what the
// choice of the threshold costs.
void require_confidence(const Sampled& sampled, const Integer& price, const std::string& name) {
  const Rational& alpha = sampled.alpha;
  const Integer p = numerator(sampled.delta);
  const Integer q = denominator(sampled.delta);
  const auto trials = static_cast<unsigned>(sampled.samples);
  // Terms binomial(N, k) p^k (q-p)^(N-k), starting at k = 0; each is the last one times
  // (N-k) p / ((k+1) (q-p)), exactly.
  Integer term = pow(Integer(q - p), trials);
  Integer tail = term;
  for (unsigned k = 0; k < sampled.exceeding; ++k) {
    term = term * (trials - k) * p / (Integer(k + 1) * (q - p));
    tail += term;
  }
  const Integer all = pow(q, trials);
  require(price * trials * tail * denominator(alpha) <= numerator(alpha) * all, name,
          "delta is below what the samples show at this confidence");
}

// Counts one more sample that exceeds.
void admit(std::uint64_t& exceeding, const Sampled& sampled, const std::string& name) {
  ++exceeding;
  require(exceeding <= sampled.exceeding, name, "more samples exceed its threshold than it admits");
}

// The ends, of one sequence, that statements about random ones ask for.
struct Reached {
  Rational loss = 0;  // at most, of all rows
  Rational sink =
      0;  // the attention of some head on BOS at least, at all rows i >= 2 but the trigger's
  Rational paid = 0;  // the attention of any head on BOS at most, at rows i >= 2
};

std::optional<Reached> reached(const forward::Prepared& model,
                               const forward::DrawnSequence& sequence, unsigned p) {
  // By layer and head: the least at all rows but the trigger's, and the most.
  std::map<std::pair<std::size_t, std::size_t>, forward::Range> heads;
  const auto observe = [&](std::size_t layer, std::size_t head, std::size_t row,
                           const forward::Weights& weights) {
    if (row < 2) return;
    const forward::Range& bos = weights.keys.front();
    forward::Range& ends = heads.try_emplace({layer, head}, bos).first->second;
    if (row != sequence.trigger) ends.lower = std::min(ends.lower, bos.lower);
    ends.upper = std::max(ends.upper, bos.upper);
  };
  const auto out = forward::pass(model, sequence.tokens, 1, p, observe);
  if (!out) return std::nullopt;
  forward::Range all = heads.begin()->second;
  for (const auto& [place, of_head] : heads) {
    all = {std::max(all.lower, of_head.lower), std::max(all.upper, of_head.upper)};
  }
  const exact::Enclosure ends = forward::enclosure(all, p);
  Reached result{0, ends.lower, ends.upper};
  const bool residual = model.model().blocks.front().residual;
  for (std::size_t row = 1; row <= sequence.tokens.rows(); ++row) {
    const auto at = loss(*out, sequence.tokens, sequence.trigger, row, residual, p);
    result.loss = exact::max(result.loss, at.upper);
  }
  return result;
}

bool is_within(const Reached& reached, const RandomStatement& stated) {
  const Rational& threshold = stated.sampled.threshold;
  switch (stated.kind) {
    case RandomStatement::Kind::kLoss:
      return reached.loss <= threshold;
    case RandomStatement::Kind::kSink:
      return reached.sink >= 1 - threshold;
    case RandomStatement::Kind::kNoSink:
      return reached.paid <= threshold;
  }
  return false;
}

struct Counted {
  std::string name;
  const RandomStatement* stated = nullptr;
  std::uint64_t exceeding = 0;
};

// Those of the statements that no pass shows the sequence to be within.
std::vector<Counted*> not_shown(const forward::Prepared& model,
                                const forward::DrawnSequence& sequence,
                                std::vector<Counted*> statements) {
  for (const unsigned p : kRandomBits) {
    if (statements.empty()) break;
    const auto at = reached(model, sequence, p);
    if (at) std::erase_if(statements, [&](const Counted* c) { return is_within(*at, *c->stated); });
  }
  return statements;
}

// Whether the trigger row's loss is at most eta for certain.
bool is_within(const forward::Prepared& model, const forward::DrawnSequence& sample,
               const Rational& eta) {
  const std::size_t row = sample.trigger;
  const auto out = forward::pass(model, sample.tokens, row, kBits);
  const bool residual = model.model().blocks.front().residual;
  return out && loss(*out, sample.tokens, row, row, residual, kBits).upper <= eta;
}

}  // namespace

void require_sampled(const forward::Prepared& model, const certificate::Checkpoint& stated,
                     const Sampled& sampled) {
  const std::string name = "theorem.tc-2";
  const std::string key =
      "sinkproof tc-2\n" + stated.model.sha256 + "\n" + std::to_string(stated.length) + "\n" +
      exact::to_string(sampled.threshold) + "\n" + std::to_string(sampled.samples) + "\n";
  const Integer f = denominator(sampled.threshold);
  const forward::GridLaw law{stated.length, stated.model.d_model, stated.box};
  require_confidence(sampled, 29 * f * f, name);
  std::uint64_t exceeding = 0;
  for (std::uint64_t i = 0; i < sampled.samples; ++i) {
    const auto sample = forward::drawn_sequence(key + std::to_string(i) + "\n", law, true);
    if (!is_within(model, sample, sampled.threshold)) admit(exceeding, sampled, name);
  }
}

bool require_random(const forward::Prepared& model, const certificate::Checkpoint& stated) {
  std::vector<Counted> counted;
  std::uint64_t samples = 0;
  for (const auto& property : stated.properties) {
    const auto* random = std::get_if<RandomStatement>(&property.content);
    if (random == nullptr) continue;
    const Sampled& sampled = random->sampled;
    const Integer choice = numerator(sampled.threshold) + denominator(sampled.threshold);
    require_confidence(sampled, 1000 * choice * choice, property.name);
    samples = std::max(samples, sampled.samples);
    counted.push_back({property.name, random});
  }
  const forward::GridLaw law{stated.length, stated.model.d_model, stated.box, stated.first_trigger,
                             stated.last_trigger};
  const std::string key = forward::random_key(stated.model.sha256, law);
  for (std::uint64_t i = 0; i < samples; ++i) {
    std::vector<Counted*> looking;
    for (Counted& one : counted) {
      if (i < one.stated->sampled.samples) looking.push_back(&one);
    }
    const auto sequence = forward::drawn_sequence(key + std::to_string(i) + "\n", law, false);
    for (Counted* one : not_shown(model, sequence, std::move(looking))) {
      admit(one->exceeding, one->stated->sampled, one->name);
    }
  }
  return !counted.empty();
}

}  // namespace sinkproof::check
