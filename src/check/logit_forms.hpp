// base, q and self of CHECKPOINT_RULES.md, 4.3, added to a form with a factor.
#pragma once

#include "check/head.hpp"
#include "check/sign_form.hpp"

namespace sinkproof::check {

// factor * base(query, key)(u)
void add_base(SignForm& form, const Head& head, std::size_t query, std::size_t key,
              const exact::Rational& factor);
// self(query)(u) scaled by factor
void add_self(SignForm& form, const Head& head, std::size_t query, const exact::Rational& factor);
// factor * q(query)_l(u)
void add_q(SignForm& form, const Head& head, std::size_t query, std::size_t l,
           const exact::Rational& factor);
// |offset + factor * q(query)_l(u)|
void add_absolute_q(SignForm& form, const Head& head, std::size_t query, std::size_t l,
                    const exact::Rational& offset, const exact::Rational& factor);

}  // namespace sinkproof::check
