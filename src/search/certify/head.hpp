// One attention head of the trigger task as the two products that matter, M = W_Q^T W_K (logit of
// query x on key y: x^T M y) and V = W_O W_V, exactly and as doubles for the search. In unit
// tokens: the noise box is folded in (model/folded_layer.hpp).
#pragma once

#include <cstddef>
#include <memory>

#include "certificate/box.hpp"
#include "certify/coupling.hpp"
#include "certify/estimate.hpp"
#include "certify/row_class.hpp"
#include "exact/matrix.hpp"

namespace sinkproof::certify {

// Coordinates of a token (docs/THEORY.md section 0): flags at 0 (BOS), 1 (trigger) and n-1
// (content), noise at 2..n-2.
inline constexpr std::size_t kBosFlag = 0;
inline constexpr std::size_t kTriggerFlag = 1;
inline constexpr std::size_t kFirstNoise = 2;

struct Head {
  std::size_t width = 0;              // n = d_model
  std::size_t noise = 0;              // d = n - 3
  std::size_t length = 0;             // L
  exact::RationalMatrix logit;        // M, n x n
  exact::RationalMatrix value;        // V, n x n
  certificate::Box box;               // of the noise
  exact::RationalMatrix token;        // X: unit tokens to tokens
  exact::Matrix<double> logit_float;  // estimate() of each, for the search
  exact::Matrix<double> value_float;
  exact::Matrix<double> token_float;
  std::shared_ptr<const Coupling> coupling;

  [[nodiscard]] std::size_t content_flag() const { return width - 1; }
  // Precondition: not the null slot.
  [[nodiscard]] std::size_t flag_of(Key key) const {
    return key == kContentKey ? content_flag() : key == kTriggerKey ? kTriggerFlag : kBosFlag;
  }

  // M, V and X as T: Rational or double.
  template <typename T>
  [[nodiscard]] const exact::Matrix<T>& logit_as() const;
  template <typename T>
  [[nodiscard]] const exact::Matrix<T>& value_as() const;
  template <typename T>
  [[nodiscard]] const exact::Matrix<T>& token_as() const;
};

template <>
inline const exact::RationalMatrix& Head::logit_as() const {
  return logit;
}
template <>
inline const exact::Matrix<double>& Head::logit_as() const {
  return logit_float;
}
template <>
inline const exact::RationalMatrix& Head::value_as() const {
  return value;
}
template <>
inline const exact::Matrix<double>& Head::value_as() const {
  return value_float;
}

template <>
inline const exact::RationalMatrix& Head::token_as() const {
  return token;
}
template <>
inline const exact::Matrix<double>& Head::token_as() const {
  return token_float;
}

// An entry of M or V is beyond kLargestEstimate: what a search finds out about the doubles says
// nothing of the head.
bool is_beyond_estimates(const Head& head);

// Precondition: both square of the same size, at least 4.
Head make_head(exact::RationalMatrix logit, exact::RationalMatrix value,
               const certificate::Box& box, std::size_t length);

}  // namespace sinkproof::certify
