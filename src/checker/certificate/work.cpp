#include "certificate/work.hpp"

#include <algorithm>
#include <limits>

namespace sinkproof::certificate {
namespace {
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kUnits = std::uint64_t{1} << 31U;
constexpr std::uint64_t kBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t kWord = 64;
}  // namespace

std::uint64_t product_of(std::initializer_list<std::uint64_t> factors) {
  if (std::find(factors.begin(), factors.end(), 0) != factors.end()) return 0;
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return kMost;
  }
  return product;
}

std::uint64_t sum_of(std::initializer_list<std::uint64_t> terms) {
  std::uint64_t sum = 0;
  for (const std::uint64_t term : terms) {
    if (__builtin_add_overflow(sum, term, &sum)) return kMost;
  }
  return sum;
}

std::uint64_t words_of(std::uint64_t bits) { return bits / kWord + 1; }

std::uint64_t cost_of(std::uint64_t bits) {
  const std::uint64_t words = words_of(bits);
  return product_of({words, words / kWord + 1});
}

Work::Work(std::uint64_t certificate_bytes, std::uint64_t times)
    : left_(product_of(
          {times, kUnits, 1 + (std::max<std::uint64_t>(certificate_bytes, 1) - 1) / kBytes})) {}

void Work::spend(std::initializer_list<std::uint64_t> factors, const std::string& where) {
  const std::uint64_t units = product_of(factors);
  require(units != kMost && units <= left_, where,
          "asks for more work than a checker does for a certificate of this size", kOverBudget);
  left_ -= units;
}

}  // namespace sinkproof::certificate
