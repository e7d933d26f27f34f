// Rule `smoothing`: the numbers whose signs decide which way a head smooths, at the mean and
// covariance of given tokens. VECTOR_RULES.md section 6.7; claims sm-1 and sm-2.
#pragma once

#include "certificate/vectors.hpp"
#include "exact/scaled_matrix.hpp"

namespace sinkproof::check {

// What every statement about one head is made of: with mu the mean of the tokens x_k, nu that of
// their outputs v_k = W x_k + W_O c. Whatever beta, these are computed once.
struct Moments {
  struct Products {
    exact::Rational apart;  // the average of the vectors' products less their means
    exact::Rational means;  // the product of the means
  };
  Products tokens;   // (1/T) sum |x_k - mu|^2 = tr B, and |mu|^2
  Products mixed;    // (1/T) sum (x_k - mu).(v_k - nu) = tr(B W), and mu.nu
  Products outputs;  // (1/T) sum |v_k - nu|^2 = tr(B W^T W), and |nu|^2
};

// Precondition: both are T x d, T >= 1.
Moments moments_of(const exact::ScaledMatrix& tokens, const exact::ScaledMatrix& outputs);

// Throws Rejected unless the numbers of these moments lie where the statement says.
void verify_smoothing(const certificate::Smoothing& stated, const Moments& moments);

}  // namespace sinkproof::check
