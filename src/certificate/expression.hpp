// Formulas as JSON: the prefix notation of FORMAT.md, section 3, read into a polynomial over Q.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "certificate/formula.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

// No expression a checker meets may cost it more than a moment.
inline constexpr std::size_t kMaxVariables = 64;
inline constexpr std::size_t kMaxNodes = 10000;  // strings and operator arrays in one expression
inline constexpr std::size_t kMaxLiteral = 400;  // characters of one number
inline constexpr std::size_t kMaxTerms = 10000;  // of any intermediate expansion
inline constexpr std::size_t kMaxProducts = 1000000;  // terms of a times terms of b in one product
inline constexpr unsigned kMaxWeight = 64;  // see FORMAT.md; bounds degree and coefficient growth

// [A-Za-z][A-Za-z0-9_]*, at most 40 characters.
bool is_variable_name(const std::string& text);

// The names. Throws Rejected, SP0504, unless they are distinct variable names, at most
// kMaxVariables, in increasing byte order.
std::vector<std::string> read_variables(const json::Value& object, const std::string& where);

// The expanded polynomial, variable i being variables[i]. Throws Rejected. SP0504: not an
// expression, an undeclared variable, or larger than the limits above. SP0101: a number that is not
// canonical. SP0905: more than is left of the work.
Formula read_expression(const json::Value& expression, const std::vector<std::string>& variables,
                        Work& work, const std::string& where);

}  // namespace sinkproof::certificate
