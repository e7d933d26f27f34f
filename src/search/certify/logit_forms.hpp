// Pieces of sign forms: the logits of one query as functions of the query's noise u.
//
// For a query with flag f (content or trigger) and noise u, and a key with flag g and noise w:
//   logit = base_fg(u) + q_f(u).w,  base_fg(u) = M_fg + sum_k u_k M_kg,  q_f(u)_l = M_fl + sum_k
//   u_k M_kl
// (k, l run over the noise coordinates). Each function adds `scale` times a piece to a form, of
// doubles or exactly.
#pragma once

#include <span>
#include <type_traits>

#include "certify/head.hpp"
#include "certify/sign_form.hpp"

namespace sinkproof::certify {

// scale * base_fg(u).
template <typename T>
void add_base(SignFormOver<T>& form, const Head& head, std::size_t query_flag, std::size_t key_flag,
              const std::type_identity_t<T>& scale);

// scale * (q_f(u).u), the token's own noise as key. The square terms scale*M_kk*u_k^2 are replaced
// by max(0, scale*M_kk), which keeps the form convex in each coordinate and above the true value.
template <typename T>
void add_self(SignFormOver<T>& form, const Head& head, std::size_t query_flag,
              const std::type_identity_t<T>& scale);

// |offset + scale * q_f(u)_l|, l a noise index 0..d-1.
template <typename T>
void add_absolute_query(SignFormOver<T>& form, const Head& head, std::size_t query_flag,
                        std::size_t l, const std::type_identity_t<T>& offset,
                        const std::type_identity_t<T>& scale);

// scale * q_f(u)_l.
template <typename T>
void add_query(SignFormOver<T>& form, const Head& head, std::size_t query_flag, std::size_t l,
               const std::type_identity_t<T>& scale);

// sum_l |q_f(u)_l|.
template <typename T>
void add_query_norm(SignFormOver<T>& form, const Head& head, std::size_t query_flag);

}  // namespace sinkproof::certify
