// Whole numbers worked on in place: sums of products, and quotients with their rounding.
#pragma once

#include <gmp.h>

#include <utility>

#include "exact/rational.hpp"

namespace sinkproof {

inline mpz_ptr raw(exact::Integer& n) { return n.backend().data(); }
inline mpz_srcptr raw(const exact::Integer& n) { return n.backend().data(); }

// 1 in units of 2^-p.
inline exact::Integer unit(unsigned p) { return exact::Integer(1) << p; }

inline exact::Integer magnitude(const exact::Integer& n) { return n < 0 ? exact::Integer(-n) : n; }

// sum += a b and sum += |a|, of whole numbers without a temporary: that is most of the time of long
// sums.
template <typename T>
void add_product(T& sum, const T& a, const T& b) {
  sum += a * b;
}
inline void add_product(exact::Integer& sum, const exact::Integer& a, const exact::Integer& b) {
  mpz_addmul(raw(sum), raw(a), raw(b));
}
inline void add_product(exact::Integer& sum, const exact::Integer& a, int b) {
  (b < 0 ? mpz_submul_ui : mpz_addmul_ui)(raw(sum), raw(a),
                                          static_cast<unsigned long>(b < 0 ? -b : b));
}
inline void add_magnitude(exact::Integer& sum, const exact::Integer& a) {
  (a < 0 ? mpz_sub : mpz_add)(raw(sum), raw(sum), raw(a));
}

enum class Rounding { kDown, kUp };

// a / b and n / 2^bits. Precondition: b > 0.
inline exact::Integer divide(exact::Integer a, const exact::Integer& b, Rounding rounding) {
  (rounding == Rounding::kDown ? mpz_fdiv_q : mpz_cdiv_q)(raw(a), raw(a), raw(b));
  return a;
}
inline exact::Integer shift_right(exact::Integer n, unsigned bits, Rounding rounding) {
  (rounding == Rounding::kDown ? mpz_fdiv_q_2exp : mpz_cdiv_q_2exp)(raw(n), raw(n), bits);
  return n;
}
inline exact::Integer floor_div(exact::Integer a, const exact::Integer& b) {
  return divide(std::move(a), b, Rounding::kDown);
}
inline exact::Integer ceil_div(exact::Integer a, const exact::Integer& b) {
  return divide(std::move(a), b, Rounding::kUp);
}
inline exact::Integer floor_shift(exact::Integer n, unsigned bits) {
  return shift_right(std::move(n), bits, Rounding::kDown);
}
inline exact::Integer ceil_shift(exact::Integer n, unsigned bits) {
  return shift_right(std::move(n), bits, Rounding::kUp);
}

}  // namespace sinkproof
