// A construction (FORMAT.md, 3.8) run as what it says it is: tokens as vectors, value maps as
// matrices, every trigger position, every corner of the noise box. Exponential, literal, and
// written from docs/THEORY.md section 0; rule `construction` must agree with it.
#pragma once

#include <cstddef>

#include "certificate/construction.hpp"
#include "json/strict.hpp"

namespace sinkproof::test {

// The same heads with the figures found by trying all sequences in n coordinates. A loss is convex
// in the noise, so corners are enough.
certificate::Construction simulated(const certificate::Construction& construction, std::size_t n);

bool same_figures(const certificate::Construction& a, const certificate::Construction& b);

// The statement that says `construction`, with scope "all".
json::Value statement_of(const certificate::Construction& construction);

}  // namespace sinkproof::test
