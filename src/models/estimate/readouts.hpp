// What is read off a language model's forward pass, in doubles: the readouts of
// src/checker/certificate/LANGUAGE_RULES.md, 5.4 (docs/THEORY.md, em-1 to em-5). T tokens, D
// layers, H heads of width w, G key heads; A the weights as the model uses them; v a head's values;
// q, k its queries and keys after norms and rotary positions; h^l the input of layer l, h^D what
// the last one puts out, before a final norm. Means and sums over i are over the queries at
// positions p .. T for a position p; of an encoder over all. Norms are 2-norms.
//
//   alpha            [D, H]     mean of A_ip
//   value-alpha      [D, H]     mean of |A_ip| |v_p| / sum_j |A_ij| |v_j|
//   norm-product     [D, H]     mean of |q_i| |k_p| / sqrt(w)
//   cosine           [D, H]     mean of <q_i, k_p> / (|q_i| |k_p|)
//   value-ratio      [D, H]     |v_p| over the mean of the other |v_j|
//   broadcast-share  [D, H]     sum_i <o_i, v_p>^2 / (|v_p|^2 sum_i |o_i|^2), o_i = sum_j A_ij v_j
//   hidden-norm      [D+1, T]   |h^l_i|
//   query-norm       [D, H, T]  |q_i| / sqrt(w)
//   key-norm         [D, G, T]  |k_i|
//   value-norm       [D, G, T]  |v_i|
//   mean-cosine      [D+1]      mean over pairs i < j of the cosine of h^l_i and h^l_j
//
// What is 0/0 counts 0: a query of value-alpha whose sum is 0, a mean over no pair.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "estimate/pass.hpp"
#include "estimate/rows.hpp"
#include "language/config.hpp"

namespace sinkproof::estimate {

struct Array {
  std::vector<std::size_t> shape;  // outermost first
  std::vector<double> values;      // row-major
};
using Readouts = std::map<std::string, Array>;

// All of the above for a sequence of `length`, of zeros.
Readouts empty_readouts(const language::Config& config, std::size_t length);

// Those of h^l. Precondition: `hidden` are the sequence's rows.
void read_hidden(std::size_t layer, const Rows& hidden, Readouts& readouts);

// Those of one head. Precondition: `position`, from 1, is in the sequence.
void read_head(const language::Config& config, const HeadRows& head, std::size_t position,
               Readouts& readouts);

// alpha of each key position of one head, [T].
std::vector<double> alphas(const language::Config& config, const HeadRows& head);

// The most that a row of the one is away from that of the other: in norm, in any coordinate.
double furthest_row(const Rows& rows, const Rows& others);
double furthest_coordinate(const Rows& rows, const Rows& others);

}  // namespace sinkproof::estimate
