// One attention head of the trigger task as doubles for the search: M = W_Q^T W_K (logit of query x
// on key y: x^T M y) and V = W_O W_V, in unit tokens (check::Head has them exactly).
#pragma once

#include <cstddef>
#include <memory>

#include "attention/head.hpp"
#include "certificate/box.hpp"
#include "certify/coupling.hpp"
#include "certify/estimate.hpp"
#include "certify/row_class.hpp"
#include "exact/matrix.hpp"

namespace sinkproof::certify {

// Coordinates of a token (docs/THEORY.md section 0): flags at 0 (BOS), 1 (trigger) and n-1
// (content), noise at 2..n-2.
using certificate::kBosFlag;
using certificate::kTriggerFlag;
inline constexpr std::size_t kFirstNoise = certificate::kNoise;

struct Head {
  std::size_t width = 0;              // n = d_model
  std::size_t noise = 0;              // d = n - 3
  std::size_t length = 0;             // L
  certificate::Box box;               // of the noise
  exact::Matrix<double> logit_float;  // estimate() of M, V and X, which maps unit tokens to tokens
  exact::Matrix<double> value_float;
  exact::Matrix<double> token_float;
  std::shared_ptr<const Coupling> coupling;

  [[nodiscard]] std::size_t content_flag() const { return width - 1; }
  // Precondition: not the null slot.
  [[nodiscard]] std::size_t flag_of(Key key) const {
    return key == kContentKey ? content_flag() : key == kTriggerKey ? kTriggerFlag : kBosFlag;
  }
};

// An entry of M or V is beyond kLargestEstimate: what a search finds out about the doubles says
// nothing of the head.
bool is_beyond_estimates(const Head& head);

Head make_head(const check::Head& exact, const certificate::Box& box);

}  // namespace sinkproof::certify
