// A cheap MLP that gives back rows, about, in floats: W_2 relu(W_1 z) near z. An estimate:
// identity_cost.hpp judges exactly what comes out.
#pragma once

#include <Eigen/Core>

namespace sinkproof::measure {

struct ReluMlp {
  Eigen::MatrixXd in;   // [width of rows][hidden]: W_1 transposed
  Eigen::MatrixXd out;  // [hidden][width of rows]: W_2 transposed
};

// Descends ||W_1||^2 + ||W_2||^2 plus a growing penalty, from the pairs relu(b.z), relu(-b.z) of an
// orthonormal basis of the rows. Empty where that would take too long (about a minute).
ReluMlp identity_mlp(const Eigen::MatrixXd& rows);

}  // namespace sinkproof::measure
