// Pieces of sign forms: the logits of one query as functions of the query's noise u.
//
// For a query with flag f (content or trigger) and noise u, and a key with flag g and noise w:
//   logit = base_fg(u) + q_f(u).w,  base_fg(u) = M_fg + sum_k u_k M_kg,  q_f(u)_l = M_fl + sum_k
//   u_k M_kl
// (k, l run over the noise coordinates). Each function adds `scale` times a piece to a form of
// doubles.
#pragma once

#include "attention/sign_form.hpp"
#include "certify/head.hpp"
#include "certify/sign_form.hpp"

namespace sinkproof::certify {

// The checker's form, made of the head, in doubles, each number rounded once: logits far from 0 may
// be close to each other.
SignForm estimated(const check::SignForm& form, const Head& head);

// scale * base_fg(u).
void add_base(SignForm& form, const Head& head, std::size_t query_flag, std::size_t key_flag,
              double scale);

// scale * (q_f(u).u), the token's own noise as key. The square terms scale*M_kk*u_k^2 are replaced
// by max(0, scale*M_kk), which keeps the form convex in each coordinate and above the true value.
void add_self(SignForm& form, const Head& head, std::size_t query_flag, double scale);

// |offset + scale * q_f(u)_l|, l a noise index 0..d-1.
void add_absolute_query(SignForm& form, const Head& head, std::size_t query_flag, std::size_t l,
                        double offset, double scale);

// scale * q_f(u)_l.
void add_query(SignForm& form, const Head& head, std::size_t query_flag, std::size_t l,
               double scale);

// sum_l |q_f(u)_l|.
void add_query_norm(SignForm& form, const Head& head, std::size_t query_flag);

}  // namespace sinkproof::certify
