// Whole numbers of a pass: sums of products in place, and quotients with their rounding.
#pragma once

#include <gmp.h>

#include "exact/rational.hpp"

namespace sinkproof::forward {

inline mpz_ptr raw(exact::Integer& n) { return n.backend().data(); }
inline mpz_srcptr raw(const exact::Integer& n) { return n.backend().data(); }

// 1 in units of 2^-p.
inline exact::Integer unit(unsigned p) { return exact::Integer(1) << p; }

inline exact::Integer magnitude(const exact::Integer& n) { return n < 0 ? exact::Integer(-n) : n; }

inline void add_product(exact::Integer& sum, const exact::Integer& a, const exact::Integer& b) {
  mpz_addmul(raw(sum), raw(a), raw(b));
}

// Precondition: b > 0.
inline exact::Integer floor_div(exact::Integer a, const exact::Integer& b) {
  mpz_fdiv_q(raw(a), raw(a), raw(b));
  return a;
}

inline exact::Integer ceil_div(exact::Integer a, const exact::Integer& b) {
  mpz_cdiv_q(raw(a), raw(a), raw(b));
  return a;
}

inline exact::Integer floor_shift(exact::Integer n, unsigned bits) {
  mpz_fdiv_q_2exp(raw(n), raw(n), bits);
  return n;
}

inline exact::Integer ceil_shift(exact::Integer n, unsigned bits) {
  mpz_cdiv_q_2exp(raw(n), raw(n), bits);
  return n;
}

}  // namespace sinkproof::forward
