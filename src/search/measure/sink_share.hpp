// The sink metric of docs/THEORY.md, em-1, rigorously: for given sequences, the share of
// (sample, layer, head) whose average attention on one key exceeds a threshold, between two exact
// numbers.
//
//   alpha_{l,h} = (1/(T-k+1)) sum_{i=k..T} A^{l,h}_{i,k}     k = position, from 1
//   Sink_k      = share of (sample, layer, head) with alpha > epsilon    ([G]: k = 1, epsilon =
//   0.3)
//
// A is the matrix of attention weights as the model uses them
// (src/checker/certificate/CHECKPOINT_RULES.md, 4.2). For softmax, sigmoid-normalised and
// elu1-normalised its rows sum to one and alpha is a share of attention in [0, 1]. For softmax-null
// the rest of a row goes to the null slot, which is not a key, so alpha >= 0 and the alphas of a
// row's keys sum to less than one. For softmax-gated A is the softmax before the gate: the gate
// scales what the head puts out, and a closed gate is not seen here. For relu, sigmoid, elu1 and
// linear A_{i,k} is kernel/max(1, i-1): no share of anything; it may exceed 1, and for linear be
// negative, so that a comparison with 0.3 is one of sizes and depends on the scale of the logits.
//
// How: the rigorous forward pass (forward/), at a precision of 128 bits that is doubled for those
// samples that have an alpha not yet decided against epsilon. What comes out holds for the model in
// real arithmetic (semantics `real`); share_certificate.hpp writes it down for the checkers.
//
// An alpha whose enclosure contains epsilon at the last precision counts in `possible` and not in
// `certain`. An alpha that equals epsilon exactly is decided (it does not exceed epsilon) only
// where its enclosure is a point, as it is when every step on the way is dyadic; otherwise no
// precision decides it, and it is reported so.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "exact/error.hpp"
#include "exact/exp_enclosure.hpp"
#include "exact/matrix.hpp"
#include "exact/rational.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::measure {

// The most rows of one sequence, and the most of all sequences times layers times heads.
inline constexpr std::size_t kMaxSequenceRows = 1024;
inline constexpr std::size_t kMaxHeadRows = 16777216;
// Enclosures of alpha, layers x heads.
using Alphas = exact::Matrix<exact::Enclosure>;

struct SinkShare {
  std::vector<Alphas> alphas;  // one for each sample
  exact::Rational epsilon;
  std::size_t position = 1;
  std::size_t certain = 0;   // pairs (sample, layer, head) with alpha > epsilon for sure
  std::size_t possible = 0;  // and those with alphas that may be
  std::size_t total = 0;
  unsigned bits = 0;  // the highest precision any sample needed

  // lower <= Sink <= upper.
  [[nodiscard]] exact::Rational lower() const;
  [[nodiscard]] exact::Rational upper() const;
};

// One head over all samples: enclosures of its smallest and of its largest alpha, and its own share
// of samples.
struct HeadShare {
  exact::Enclosure smallest;
  exact::Enclosure largest;
  std::size_t certain = 0;
  std::size_t possible = 0;
};
HeadShare head_share(const SinkShare& share, std::size_t layer, std::size_t head);

// `samples` are sequences of exact tokens, one row per position, of any lengths. `jobs` threads
// work on samples side by side; the result does not depend on their number. `finished`, if any, is
// told now and then, on the calling thread, how many samples have been through a forward pass.
//
// SP1505: a sample is not d_model wide. SP1511: a value of the forward pass is beyond 2^2048, or
// known too poorly. SP1513: no samples, no heads, or a position that is not in every sample.
// SP1514: more rows than the limits above.
// A wrong number is never returned. Of several samples that fail the first is named.
exact::Result<SinkShare> sink_share(const model::AttentionModel& model,
                                    const std::vector<exact::RationalMatrix>& samples,
                                    const exact::Rational& epsilon, std::size_t position,
                                    unsigned jobs,
                                    const std::function<void(std::size_t)>& finished = {});

}  // namespace sinkproof::measure
