// The exponents F0, F1, F2 of CHECKPOINT_RULES.md sections 4.8 and 4.9: a query's logits on other
// keys and on itself, relative to BOS. `query` and `key` are flags, content or trigger.
#pragma once

#include "check/hints.hpp"
#include "check/sign_form.hpp"

namespace sinkproof::check {

// lambda (s v(key)_r - eta) - 1 is added to an exponent when `side` is given.
struct ValueTerm {
  const Side& side;
  const exact::Rational& lambda;
  const exact::Rational& eta;
};

SignForm free_key(const Head& head, std::size_t query, std::size_t key,
                  const ValueTerm* term);                                      // F0, F2
SignForm own_key(const Head& head, std::size_t query, const ValueTerm* term);  // F1

}  // namespace sinkproof::check
