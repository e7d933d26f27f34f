// The budget of a certificate, FORMAT.md section 7: what a checker may be asked to do, in units
// that do not depend on the checker. Every amount is spent before the work is begun, so that no
// file can keep a checker busy.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "certificate/strict.hpp"

namespace sinkproof::certificate {

// c(x): the words of a number of `bits` bits; m(x): what an operation on such numbers costs. m
// saturates.
std::uint64_t words_of(std::uint64_t bits);
std::uint64_t cost_of(std::uint64_t bits);

// The product of the factors, or 2^64 - 1 when that is less.
std::uint64_t product_of(std::initializer_list<std::uint64_t> factors);
std::uint64_t sum_of(std::initializer_list<std::uint64_t> terms);

class Work {
 public:
  // `times` 2^31 units for every started 2^20 bytes of the certificate's file; at least for one.
  explicit Work(std::uint64_t certificate_bytes = 1, std::uint64_t times = 1);

  // Throws Rejected, SP0905 at `where`, when less than the product of the factors is left; then
  // nothing is spent.
  void spend(std::initializer_list<std::uint64_t> factors, const std::string& where);

 private:
  std::uint64_t left_;
};

}  // namespace sinkproof::certificate
