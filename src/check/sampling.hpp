// Property theorem.tc-2: samples redrawn, their losses enclosed, an exact confidence bound.
// CHECKPOINT_RULES.md section 4.15.
#pragma once

#include <cstdint>
#include <string>

#include "check/layer.hpp"

namespace sinkproof::check {

struct Sampling {
  std::string model_sha256;
  exact::Rational eta;
  std::uint64_t samples = 0;
  std::uint64_t exceeding = 0;
};

// Throws Rejected when more than `exceeding` of the samples are not certainly within eta.
// Precondition: one head, weights that sum to one, 4 <= L <= 4096.
void require_samples_within(const Layer& layer, const Sampling& sampling);

// Throws Rejected unless at most `exceeding` successes in `samples` trials have probability at most
// alpha / (29 f^2 samples), f the denominator of eta, when each has probability delta: this pays
// for every eta and number of samples that the producer may have tried.
void require_confidence(const Sampling& sampling, const exact::Rational& delta,
                        const exact::Rational& alpha);

}  // namespace sinkproof::check
