// From a head's logits to its weights in doubles: which keys a query sees, and the kinds of
// certificate/attention.hpp. A kind that is not normalised is its kernel, divided by nothing.
#pragma once

#include <cstddef>
#include <optional>

#include "certificate/attention.hpp"
#include "certificate/language.hpp"

namespace sinkproof::estimate {

// Which keys a query sees; both from 0.
struct Sight {
  bool bidirectional = false;
  std::optional<std::size_t> window;
  std::optional<certificate::Intervention::Eviction> eviction;
  bool without_first = false;  // key 0 is seen by query 0 alone

  [[nodiscard]] bool sees(std::size_t query, std::size_t key) const;
};

// Replaces the logits of one query on keys 0 .. length - 1 by its weights; 0 for keys not seen.
// `null_logit` is that of the null slot of kinds that have one.
void weigh(const certificate::AttentionKind& kind, const Sight& sight, std::size_t query,
           double null_logit, std::size_t length, double* row);

double logistic(double x);

}  // namespace sinkproof::estimate
