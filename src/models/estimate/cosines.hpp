// Average cosine similarity of rows, and what their mean and spread alone would make of it.
//
// Rows x_1 .. x_T, mean m = (1/T) sum_i x_i, spread b = (1/T) sum_i |x_i - m|^2, the trace of their
// covariance. Where rows are independent draws with that mean and covariance, E[x_i . x_l] = |m|^2
// for i != l and E|x_i|^2 = |m|^2 + b, so that the ratio of expectations is |m|^2 / (|m|^2 + b)
// (docs/THEORY_VECTORS.md, sm-1, with no attention).
#pragma once

#include <vector>

#include "estimate/rows.hpp"

namespace sinkproof::estimate {

// The mean over pairs i < l of the cosine of rows i and l. A row of zeros has cosine 0 with every
// other; fewer than two rows have 0.
double mean_cosine(const Rows& rows);

// The cosine of row 1 with each row, [T]; 0 where one of them is zeros.
std::vector<double> cosines_with_first(const Rows& rows);

struct Spread {
  std::vector<double> mean;
  double around = 0;  // b
};
Spread spread_of(const Rows& rows);

// |m|^2 / (|m|^2 + b); 0 of rows of zeros.
double predicted_cosine(const Spread& spread);

}  // namespace sinkproof::estimate
