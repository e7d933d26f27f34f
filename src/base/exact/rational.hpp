// Exact numbers: Integer and Rational over GMP, and their one textual form.
//
// Boost 1.74's mpq_rational accepts "1/0" and keeps "2/4" uncanonical, so text enters only through
// parse_rational, which admits canonical `p/q` (or `p`) and nothing else.
#pragma once

#include <boost/multiprecision/gmp.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::exact {

using Integer =
    boost::multiprecision::number<boost::multiprecision::gmp_int, boost::multiprecision::et_off>;
using Rational = boost::multiprecision::number<boost::multiprecision::gmp_rational,
                                               boost::multiprecision::et_off>;

// The most digits accepted in a numerator or denominator: generous for sums of products of float64
// weights (2148 bits and more), small enough that no input can exhaust memory.
inline constexpr std::size_t kMaxDigits = 20000;

// Canonical text only: -?(0|[1-9][0-9]*)(/[1-9][0-9]*)?, lowest terms, no "-0", no "/1".
// Anything else: error SP0101.
Result<Rational> parse_rational(std::string_view text);

// The canonical text of `value`, the inverse of parse_rational.
std::string to_string(const Rational& value);

// numerator / denominator, canonical. Precondition: denominator != 0.
Rational make_rational(const Integer& numerator, const Integer& denominator);

// 2^exponent, for any sign of the exponent.
Rational power_of_two(long exponent);

// Largest multiple of 2^-bits that is <= value, and smallest that is >= value.
Rational round_down(const Rational& value, unsigned bits);
Rational round_up(const Rational& value, unsigned bits);

Integer floor(const Rational& value);
Integer ceil(const Rational& value);
inline Rational abs(const Rational& value) { return value < 0 ? Rational(-value) : value; }
inline int sign(const Rational& value) { return value.sign(); }
inline const Rational& max(const Rational& a, const Rational& b) { return a < b ? b : a; }
inline const Rational& min(const Rational& a, const Rational& b) { return b < a ? b : a; }

}  // namespace sinkproof::exact
