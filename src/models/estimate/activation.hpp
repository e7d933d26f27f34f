// The activations of an MLP in doubles.
#pragma once

#include "estimate/rows.hpp"
#include "language/config.hpp"

namespace sinkproof::estimate {

// relu; x / (1 + exp(-x)); x Phi(x); and with Phi's approximation by tanh, which is
// x / (1 + exp(-2u)) for u = sqrt(2/pi) (x + 0.044715 x^3).
void activate(language::Activation activation, Matrix& values);

}  // namespace sinkproof::estimate
