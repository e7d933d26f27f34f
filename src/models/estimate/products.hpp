// Inner products and lengths of double vectors, by BLAS.
#pragma once

#include <cblas.h>

#include <cstddef>

namespace sinkproof::estimate {

inline double dot(const double* a, const double* b, std::size_t count) {
  return cblas_ddot(static_cast<blasint>(count), a, 1, b, 1);
}

inline double norm(const double* a, std::size_t count) {
  return cblas_dnrm2(static_cast<blasint>(count), a, 1);
}

}  // namespace sinkproof::estimate
