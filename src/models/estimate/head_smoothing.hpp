// What one head does to the average cosine of its layer's rows, measured and as the theory has it.
//
// T rows: x_i the inputs of a layer, v_i the head's values (affine in the normed input z_i), W_O
// the columns of the output map that are the head's, m_i = W_O v_i, [T, n]; a bias of the output
// map belongs to no head and is left out, a gate too. A: the head's weights, [T, T]; U: those that
// are uniform over the keys that a query sees. Means over the rows are barred. Source: claims sm-1
// and sm-2 of docs/THEORY_VECTORS.md, [L] Section 5.
//
//   s = (1/T) sum_i (x_i - x-)(m_i - m-)    t = (1/T) sum_i |m_i - m-|^2    b = that of x_i
//
// Where z_i = x_i and m_i = W x_i these are sm-1's tr(BW), tr(B W^T W) and tr B with the covariance
// B of the rows and beta = 1, the coefficient of every residual connection read here. For other z_i
// the moments of independent pairs (x_i, m_i) have sm-1's form in the same s, t and b, and s^2 <= b
// t holds, so that sm-2's cases apply; the claims themselves are stated for z_i = x_i.
//
//   component   rows                    e  P
//   values      m_i                     0  identity
//   own         x_i + m_i               1  identity
//   attention   sum_l A_il m_l          0  A
//   output      x_i + sum_l A_il m_l    1  A
//   uniform     x_i + sum_l U_il m_l    1  U
//
// `measured`: the average cosine of these rows (cosines.hpp). `predicted`: the mean over pairs i <
// l of E_il / sqrt(E_ii E_ll), where rows (x_i, m_i) are independent draws with the measured means,
// spreads and s, whatever P is; r_i is the sum of row i of P:
//
//   E_il = e |x-|^2 + e (r_i + r_l) x-.m- + r_i r_l |m-|^2
//          + [i = l] e b + e (P_il + P_li) s + (P P^T)_il t
//
// This is sm-1's for any attention rows, where rows of P need not sum to 1. Pairs whose E_ii or
// E_ll is not positive count 0.
//
// Signs of s, t and s + t are of the x_i and v_i as they are stored: each number comes with a bound
// on its rounding error (Higham, Accuracy and Stability, 3.1: a sum of n products in any order is
// within gamma_n = n u / (1 - n u) of the sum of their magnitudes; without underflow).
#pragma once

#include <array>
#include <cstddef>

#include "estimate/pass.hpp"
#include "estimate/rows.hpp"

namespace sinkproof::estimate {

inline constexpr std::array kComponents = {"values", "own", "attention", "output", "uniform"};

struct Cosines {
  double measured = 0;
  double predicted = 0;
};

// A number and a bound on how far the exact one is from it.
struct Rounded {
  double value = 0;
  double error = 0;
  [[nodiscard]] bool positive() const { return value - error > 0; }
  [[nodiscard]] bool negative() const { return value + error < 0; }
  [[nodiscard]] bool not_negative() const { return value - error >= 0; }
};

// Which case of sm-2 the signs are in, for rows of weights that sum to 1.
enum class SmoothingCase {
  kIncreases,  // (a) s >= 0, t > 0: dense attention smooths more
  kDecreases,  // (b) s + t < 0: dense attention smooths less
  kTurns,      // (d) -t < s < 0: smooths more up to a turning point at least
  kOpen,       // t = 0, s + t = 0, or rounding does not decide
};

struct HeadSmoothing {
  Rounded s, t, sum;  // sum = s + t
  std::array<Cosines, kComponents.size()> components;
  [[nodiscard]] SmoothingCase which() const;
};

// U of T queries that see themselves and all earlier keys, at most `window` of them where it is not
// 0, or all keys.
Matrix uniform_weights(std::size_t length, std::size_t window, bool bidirectional);

// Of one head. `inputs`: [T, n]; `output`: [w, n], the head's part of the output map as widened()
// has it; `uniform` and its product with its transpose: [T, T]. Precondition: T >= 2.
HeadSmoothing head_smoothing(const Rows& inputs, const HeadRows& head, const Rows& output,
                             const Matrix& uniform, const Matrix& uniform_square);

// P P^T.
Matrix square_of(const Rows& weights);

}  // namespace sinkproof::estimate
