// From the logits of a query to its weights in doubles: the kinds of certificate/attention.hpp.
#pragma once

#include <span>

#include "certificate/attention.hpp"

namespace sinkproof::estimate {

// Replaces the logits of a query on the keys it sees by its weights; those of kinds that are not
// normalised are the kernels. Returns the null slot's, whose logit is `null_logit`.
double weigh(const certificate::AttentionKind& kind, double null_logit, std::span<double> logits);

double logistic(double x);

}  // namespace sinkproof::estimate
