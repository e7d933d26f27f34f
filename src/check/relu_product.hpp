// The *product* objects of CHECKPOINT_RULES.md sections 4.11 and 4.13: a bound on relu(score) * s
// v.
#pragma once

#include "check/hints.hpp"

namespace sinkproof::check {

// root^2 / 4 of the product at `key` of `object`, once its tree is verified. Throws Rejected.
exact::Rational proved_product(const Head& head, const Side& side, std::size_t query_flag,
                               std::size_t key_flag, const Order& order, const json::Value& product,
                               const std::string& where);

// sup over the box of the BOS key's score for this query flag, and at least 0.
exact::Rational bos_score(const Head& head, std::size_t query_flag);

}  // namespace sinkproof::check
