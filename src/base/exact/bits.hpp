// How long numbers are.
#pragma once

#include <algorithm>
#include <cstdint>

#include "exact/rational.hpp"

namespace sinkproof::exact {

// Bits of |value| in binary; 0 for 0.
inline std::uint64_t bits_of(const Integer& value) {
  return value == 0 ? 0 : boost::multiprecision::msb(boost::multiprecision::abs(value)) + 1;
}

// The most bits of a numerator plus the most bits of a denominator, over what it is shown.
class Bits {
 public:
  void include(const Rational& value) {
    numerator_ = std::max(numerator_, bits_of(numerator(value)));
    denominator_ = std::max(denominator_, bits_of(denominator(value)));
  }
  [[nodiscard]] std::uint64_t total() const { return numerator_ + denominator_; }

 private:
  std::uint64_t numerator_ = 0;
  std::uint64_t denominator_ = 0;
};

}  // namespace sinkproof::exact
