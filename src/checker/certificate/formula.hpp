// Formulas as JSON: the prefix notation of FORMAT.md, 3.7, read into polynomials over Q, and sums
// and products of what was read, within the limits of 3.7.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/polynomial.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

class Fields;
struct Key;

inline constexpr std::size_t kMaxVariables = 64;

// As it is written, and expanded: variable i is the i-th of the names it may use.
struct Expression {
  json::Value text;
  exact::Polynomial polynomial{};
};

// Each throws Rejected, SP0504: more than 1000000 pairs of terms, or more than 10000 terms in the
// result.
exact::Polynomial multiply(const exact::Polynomial& a, const exact::Polynomial& b,
                           const std::string& where);
void add(exact::Polynomial& sum, const exact::Polynomial& b, const std::string& where);

// [A-Za-z][A-Za-z0-9_]*, at most 40 characters.
bool is_variable_name(const std::string& text);

// The key `variables`. SP0504, unless they are distinct variable names, at most kMaxVariables, in
// increasing byte order.
void describe_variables(Fields& io, std::vector<std::string>& of);

// SP0504: not an expression, an undeclared variable, or larger than the limits above. SP0101: a
// number that is not canonical.
void describe(Fields& io, const Key& key, Expression& of,
              const std::vector<std::string>& variables);

}  // namespace sinkproof::certificate
