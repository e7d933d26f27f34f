// Formulas as JSON: the prefix notation of FORMAT.md, 3.7, read into polynomials over Q, and sums
// and products of what was read, within the limits of 3.7.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/polynomial.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

inline constexpr std::size_t kMaxVariables = 64;

struct Formula {
  exact::Polynomial polynomial;
  unsigned weight = 0;  // of the expression (FORMAT.md, 3.7)
};

// Each throws Rejected, SP0504: more than 1000000 pairs of terms, or more than 10000 terms in the
// result.
Formula multiply(const Formula& a, const Formula& b, const std::string& where);
void add(Formula& sum, const Formula& b, const std::string& where);

// [A-Za-z][A-Za-z0-9_]*, at most 40 characters.
bool is_variable_name(const std::string& text);

// The names. Throws Rejected, SP0504, unless they are distinct variable names, at most
// kMaxVariables, in increasing byte order.
std::vector<std::string> read_variables(const json::Value& object, const std::string& where);

// The expanded polynomial, variable i being variables[i]. Throws Rejected. SP0504: not an
// expression, an undeclared variable, or larger than the limits above. SP0101: a number that is not
// canonical.
Formula read_expression(const json::Value& expression, const std::vector<std::string>& variables,
                        const std::string& where);

}  // namespace sinkproof::certificate
