#include "measure/rounded_weights.hpp"

#include <algorithm>
#include <cmath>

#include "measure/corral_factor.hpp"
#include "rounded/double.hpp"

namespace sinkproof::measure {

using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

namespace {

constexpr unsigned kBits = 128;

long exponent_of_largest(const RationalMatrix& gram) {
  Rational largest = 0;
  for (std::size_t i = 0; i < gram.rows(); ++i) largest = exact::max(largest, gram(i, i));
  if (largest == 0) return 0;
  const auto bits = [](const Integer& value) {
    return static_cast<long>(boost::multiprecision::msb(value));
  };
  const long exponent = bits(boost::multiprecision::numerator(largest)) -
                        bits(boost::multiprecision::denominator(largest));
  return exponent - exponent % 2;
}

RationalMatrix scaled(const RationalMatrix& gram) {
  const Rational factor = exact::power_of_two(-exponent_of_largest(gram));
  RationalMatrix result = gram;
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.columns(); ++j) result(i, j) = gram(i, j) * factor;
  }
  return result;
}

// e - (e e^T + G) b.
std::vector<Rational> residual(const RationalMatrix& gram, const std::vector<Rational>& b) {
  Rational sum = 0;
  for (const Rational& value : b) sum += value;
  std::vector<Rational> left(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    left[i] = 1 - sum;
    for (std::size_t j = 0; j < b.size(); ++j) left[i] -= gram(i, j) * b[j];
  }
  return left;
}

// The exponent e with largest |value| about 2^e; nothing to do below -limit.
long size_of(const std::vector<Rational>& values) {
  Rational largest = 0;
  for (const Rational& value : values) largest = exact::max(largest, exact::abs(value));
  if (largest == 0) return -1000000;
  return static_cast<long>(boost::multiprecision::msb(boost::multiprecision::numerator(largest))) -
         static_cast<long>(boost::multiprecision::msb(boost::multiprecision::denominator(largest)));
}

std::vector<Integer> whole_parts(const std::vector<Rational>& values, const Rational& factor) {
  std::vector<Integer> parts;
  parts.reserve(values.size());
  for (const Rational& value : values) parts.push_back(exact::floor(value * factor));
  return parts;
}

}  // namespace

exact::Matrix<double> scaled_doubles(const RationalMatrix& gram) {
  const RationalMatrix small = scaled(gram);
  exact::Matrix<double> result(gram.rows(), gram.columns());
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.columns(); ++j) {
      result(i, j) = rounded::to_double_estimate(small(i, j));
    }
  }
  return result;
}

std::vector<Integer> rounded_affine_weights(const RationalMatrix& gram) {
  const RationalMatrix exact_gram = scaled(gram);
  const exact::Matrix<double> estimate = scaled_doubles(gram);
  CorralFactor factor(1);
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    std::vector<double> products;
    for (std::size_t j = 0; j < i; ++j) products.push_back(estimate(i, j));
    if (!factor.append(products, estimate(i, i))) return std::vector<Integer>(gram.rows(), 1);
  }
  std::vector<Rational> solution(gram.rows());
  constexpr int kRounds = 24;
  constexpr unsigned kWorkingBits = 2 * kBits;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Rational> left = residual(exact_gram, solution);
    const long size = size_of(left);
    if (size < -static_cast<long>(kBits)) break;
    std::vector<double> right;
    right.reserve(left.size());
    for (const Rational& value : left) {
      right.push_back(rounded::to_double_estimate(value * exact::power_of_two(-size)));
    }
    const std::vector<double> step = factor.solve(right);
    for (std::size_t i = 0; i < step.size(); ++i) {
      solution[i] = exact::round_down(
          solution[i] + rounded::from_double(step[i]) * exact::power_of_two(size), kWorkingBits);
    }
  }
  return whole_parts(solution, exact::power_of_two(static_cast<long>(kBits) - size_of(solution)));
}

std::vector<Integer> shortened(std::vector<Integer> weights) {
  std::size_t bits = 0;
  for (const Integer& weight : weights) {
    if (weight != 0) {
      bits = std::max<std::size_t>(
          bits, boost::multiprecision::msb(boost::multiprecision::abs(weight)) + 1);
    }
  }
  if (bits <= kBits) return weights;
  const Integer divisor = Integer(1) << (bits - kBits);
  for (Integer& weight : weights) weight = exact::floor(exact::make_rational(weight, divisor));
  return weights;
}

}  // namespace sinkproof::measure
