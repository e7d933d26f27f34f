// Formulas as JSON: the prefix notation of FORMAT.md, 3.7, read into polynomials over Q, and sums
// and products of what was read, within the limits of 3.7 and the budget of section 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "certificate/work.hpp"
#include "exact/polynomial.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

inline constexpr std::size_t kMaxVariables = 64;

// A polynomial together with what is left of the text it came from: its size, which says how long
// its coefficients can be, and the number of variables it may have.
struct Formula {
  exact::Polynomial polynomial;
  std::uint64_t size = 0;
  std::uint64_t variables = 0;  // V of the statement
  unsigned weight = 0;          // of the expression (FORMAT.md, 3.7)
};

// What a term costs, whatever is done with it.
std::uint64_t units_of_term(std::uint64_t variables);

// Each throws Rejected. SP0905: over the budget. SP0504: more than 1000000 pairs of
// terms, or more than 10000 terms in the result.
Formula multiply(const Formula& a, const Formula& b, Work& work, const std::string& where);
void add(Formula& sum, const Formula& b, Work& work, const std::string& where);

// [A-Za-z][A-Za-z0-9_]*, at most 40 characters.
bool is_variable_name(const std::string& text);

// The names. Throws Rejected, SP0504, unless they are distinct variable names, at most
// kMaxVariables, in increasing byte order.
std::vector<std::string> read_variables(const json::Value& object, const std::string& where);

// The expanded polynomial, variable i being variables[i]. Throws Rejected. SP0504: not an
// expression, an undeclared variable, or larger than the limits above. SP0101: a number that is not
// canonical. SP0905: more than is left of the work, which keeping the formula takes from as well.
Formula read_expression(const json::Value& expression, const std::vector<std::string>& variables,
                        Work& work, const std::string& where);

}  // namespace sinkproof::certificate
