// The vectors a certificate is about, read by the checker itself: rows of a tensor, or the values
// of one head at them. VECTOR_RULES.md section 6.1.
#pragma once

#include <cstdint>
#include <optional>

#include "certificate/rule.hpp"
#include "certificate/vectors.hpp"
#include "exact/scaled_matrix.hpp"

namespace sinkproof::check {

struct ValueHead {
  exact::ScaledMatrix value;   // W_V, n x d
  exact::ScaledMatrix bias;    // c, 1 x n
  exact::ScaledMatrix output;  // W_O, m x n
};

struct VectorInput {
  exact::ScaledMatrix tokens;  // T x d
  std::optional<ValueHead> head;
};

// Throws Rejected: a missing tensor, a shape or size the rule forbids, a value that is not
// finite.
VectorInput read_vector_input(const certificate::VectorSource& source, const FileBySha256& file);

// The vectors themselves: the tokens, or W_O (W_V x + c) for each of them.
exact::ScaledMatrix vectors_of(const VectorInput& input);

}  // namespace sinkproof::check
