// A polynomial together with what is left of the text it came from: its size, which says how long
// its coefficients can be, and the number of variables it may have. Products and sums within the
// limits of FORMAT.md 3.7 and the budget of section 7.
#pragma once

#include <cstdint>
#include <string>

#include "certificate/work.hpp"
#include "exact/polynomial.hpp"

namespace sinkproof::certificate {

struct Formula {
  exact::Polynomial polynomial;
  std::uint64_t size = 0;
  std::uint64_t variables = 0;  // V of the statement
};

// What a term costs, whatever is done with it.
std::uint64_t units_of_term(std::uint64_t variables);

// Each throws Rejected. SP0905: over the budget, which keeping a formula takes from as well.
// SP0504: more than 1000000 pairs of terms, or more than 10000 terms in the result.
void keep(const Formula& formula, Work& work, const std::string& where);
Formula multiply(const Formula& a, const Formula& b, Work& work, const std::string& where);
void add(Formula& sum, const Formula& b, Work& work, const std::string& where);
void negate(Formula& a, Work& work, const std::string& where);

}  // namespace sinkproof::certificate
