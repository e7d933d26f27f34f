// Weights of a corral's least point to many more bits than a double has, where exact ones would be
// too long: iterative refinement with exact residuals.
#pragma once

#include <vector>

#include "exact/matrix.hpp"
#include "exact/rational.hpp"

namespace sinkproof::measure {

// The entries as doubles after division by a power of four near the largest diagonal entry, so that
// neither huge nor tiny vectors leave the range of doubles. Precondition: a Gram matrix.
exact::Matrix<double> scaled_doubles(const exact::RationalMatrix& gram);

// Whole weights, the largest of about 128 bits, proportional to the affine minimiser's up to about
// 2^-110 where the points are far from affinely dependent; any signs. Precondition: a Gram matrix
// of at least one point.
std::vector<exact::Integer> rounded_affine_weights(const exact::RationalMatrix& gram);

// Divides by the power of two that leaves the largest of more than 128 bits with 128; rounds down.
std::vector<exact::Integer> shortened(std::vector<exact::Integer> weights);

}  // namespace sinkproof::measure
