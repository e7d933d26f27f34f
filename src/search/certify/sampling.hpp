// Property theorem.tc-2: how often random sequences of the task exceed a loss, with an exact
// confidence bound, hence how likely tc-2 makes the sink. CHECKPOINT_RULES.md section 4.17 fixes
// the law and how samples are drawn; here they are evaluated in doubles, generously.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "certify/layer.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certify {

struct Sampling {
  std::string model_sha256;
  exact::Rational eta;
  std::uint64_t samples = 0;
};

// A threshold few sequences exceed: the largest loss at the trigger among `samples` sequences drawn
// apart from those of the certificate, with some room. An estimate; infinite where doubles do not
// say, or the checker has no exp for a logit.
double likely_threshold(const Layer& layer, std::uint64_t samples, std::uint64_t seed);

// How many of the samples exceed eta at the trigger row, or come so close (relative) that doubles
// do not tell. Nothing where the checker has no exp for a sample's logits.
std::optional<std::uint64_t> count_exceeding(const Layer& layer, const Sampling& sampling,
                                             double close);

// The least multiple of 10^-6 that is an upper confidence bound (level 1 - alpha, exact: Clopper
// and Pearson, with the price, without the number of samples, that section 4.17 has a producer pay
// for choosing the threshold and that number) on the probability of exceeding, when `exceeding` of
// the samples did; 1 where there is none below 1.
exact::Rational confidence_bound(std::uint64_t samples, std::uint64_t exceeding,
                                 const exact::Rational& alpha, const exact::Integer& price);

}  // namespace sinkproof::certify
