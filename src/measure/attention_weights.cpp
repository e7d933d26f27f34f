#include "measure/attention_weights.hpp"

#include <gmp.h>

#include <algorithm>
#include <cstddef>

#include "exact/interval.hpp"

namespace sinkproof::measure {
namespace {

using exact::Integer;
using exact::Interval;
using model::Attention;

constexpr unsigned kGuardBits = 32;  // of intervals, beyond those of the fixed point

Integer one_at(unsigned bits) { return Integer(1) << bits; }

Interval interval(const Bounds& x, unsigned bits) {
  return Interval::fixed_point(x.lower, x.upper, bits, bits + kGuardBits);
}

// Of a number known to be in [0, 1]. An interval without bounds says no more than that.
Bounds in_unit(const Interval& x, unsigned bits) {
  if (!x.is_bounded()) return {0, one_at(bits)};
  return {std::max(Integer(0), x.floor_at(bits)), std::min(one_at(bits), x.ceil_at(bits))};
}

Interval logistic_interval(const Bounds& x, unsigned bits) {
  const Interval one(1, bits + kGuardBits);
  return one / (one + exp(-interval(x, bits)));
}

// x + 1 for x >= 0, else exp x: increasing, so from its ends.
Interval elu1_interval(const Bounds& x, unsigned bits) {
  if (x.upper < 0) return exp(interval(x, bits));
  const Integer one = one_at(bits);
  if (x.lower >= 0) return interval({x.lower + one, x.upper + one}, bits);
  const Integer least = exp(interval({x.lower, x.lower}, bits)).floor_at(bits);
  return interval({least, x.upper + one}, bits);
}

// Kernels over their sum; the softmax kinds' logits less a number near the largest, which changes
// no weight.
bool normalise(Attention attention, std::vector<Bounds>& row, unsigned bits) {
  const bool null_slot = attention == Attention::kSoftmaxNull;
  Integer top = row.front().upper;
  for (const Bounds& logit : row) top = std::max(top, logit.upper);
  if (null_slot) top = std::max(top, Integer(0));
  std::vector<Interval> kernels;
  kernels.reserve(row.size());
  for (const Bounds& logit : row) {
    switch (attention) {
      case Attention::kSigmoidNormalised:
        kernels.push_back(logistic_interval(logit, bits));
        break;
      case Attention::kElu1Normalised:
        kernels.push_back(elu1_interval(logit, bits));
        break;
      default:
        kernels.push_back(exp(interval({logit.lower - top, logit.upper - top}, bits)));
    }
  }
  Interval sum(0, bits + kGuardBits);
  if (null_slot) sum = exp(interval({-top, -top}, bits));
  for (const Interval& kernel : kernels) sum = sum + kernel;
  if (!sum.is_bounded() || !sum.is_positive()) return false;
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = in_unit(kernels[k] / sum, bits);
  return true;
}

Bounds kernel(Attention attention, const Bounds& logit, unsigned bits) {
  switch (attention) {
    case Attention::kRelu:
      return {std::max(Integer(0), logit.lower), std::max(Integer(0), logit.upper)};
    case Attention::kSigmoid:
      return logistic(logit, bits);
    case Attention::kElu1: {
      const Interval value = elu1_interval(logit, bits);  // exp of nothing above 0: bounded
      return {value.floor_at(bits), value.ceil_at(bits)};
    }
    default:
      return logit;  // linear
  }
}

// Kernels over max(1, i - 1), positions from 1.
void divide_by_position(Attention attention, std::vector<Bounds>& row, unsigned bits) {
  const std::size_t others = std::max<std::size_t>(1, row.size() - 1);
  for (Bounds& entry : row) {
    entry = kernel(attention, entry, bits);
    mpz_fdiv_q_ui(entry.lower.backend().data(), entry.lower.backend().data(), others);
    mpz_cdiv_q_ui(entry.upper.backend().data(), entry.upper.backend().data(), others);
  }
}

}  // namespace

bool to_weights(Attention attention, std::vector<Bounds>& row, unsigned bits) {
  if (model::is_normalised(attention)) return normalise(attention, row, bits);
  divide_by_position(attention, row, bits);
  return true;
}

Bounds logistic(const Bounds& x, unsigned bits) {
  return in_unit(logistic_interval(x, bits), bits);
}

}  // namespace sinkproof::measure
