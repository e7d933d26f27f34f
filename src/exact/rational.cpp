#include "exact/rational.hpp"

#include <gmp.h>

#include <algorithm>

namespace sinkproof::exact {
namespace {

bool is_canonical_natural(std::string_view digits, bool allow_zero) {
  if (digits.empty() || digits.size() > kMaxDigits) return false;
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return false;
  }
  if (digits[0] == '0') return allow_zero && digits.size() == 1;
  return true;
}

Result<Rational> bad_number(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string quoted(text.substr(0, shown));
  if (text.size() > shown) quoted += "...";
  return fail("SP0101", "number \"" + quoted + "\"",
              "not a canonical rational; write p or p/q in lowest terms with q > 1");
}

}  // namespace

Result<Rational> parse_rational(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::string_view magnitude = negative ? text.substr(1) : text;
  const std::size_t slash = magnitude.find('/');
  const std::string_view numerator = magnitude.substr(0, slash);
  if (!is_canonical_natural(numerator, true)) return bad_number(text);
  if (negative && numerator == "0") return bad_number(text);
  Integer p{std::string(numerator)};
  if (negative) p = -p;
  if (slash == std::string_view::npos) return Rational(p);
  const std::string_view denominator = magnitude.substr(slash + 1);
  if (!is_canonical_natural(denominator, false) || denominator == "1") return bad_number(text);
  const Integer q{std::string(denominator)};
  if (boost::multiprecision::gcd(p, q) != 1) return bad_number(text);
  return make_rational(p, q);
}

std::string to_string(const Rational& value) { return value.str(); }

Rational make_rational(const Integer& numerator, const Integer& denominator) {
  return Rational(numerator) / Rational(denominator);
}

Rational power_of_two(long exponent) {
  const Integer power = Integer(1) << static_cast<unsigned long>(std::labs(exponent));
  return exponent >= 0 ? Rational(power) : make_rational(1, power);
}

Integer floor(const Rational& value) {
  Integer quotient;
  mpz_fdiv_q(quotient.backend().data(), mpq_numref(value.backend().data()),
             mpq_denref(value.backend().data()));
  return quotient;
}

Integer ceil(const Rational& value) {
  Integer quotient;
  mpz_cdiv_q(quotient.backend().data(), mpq_numref(value.backend().data()),
             mpq_denref(value.backend().data()));
  return quotient;
}

Rational round_down(const Rational& value, unsigned bits) {
  const Integer scale = Integer(1) << bits;
  return make_rational(floor(value * Rational(scale)), scale);
}

Rational round_up(const Rational& value, unsigned bits) {
  const Integer scale = Integer(1) << bits;
  return make_rational(ceil(value * Rational(scale)), scale);
}

Rational abs(const Rational& value) { return value < 0 ? Rational(-value) : value; }

int sign(const Rational& value) { return mpq_sgn(value.backend().data()); }

const Rational& max(const Rational& a, const Rational& b) { return a < b ? b : a; }

const Rational& min(const Rational& a, const Rational& b) { return b < a ? b : a; }

}  // namespace sinkproof::exact
