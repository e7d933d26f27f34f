// Rule stack: bounds over the whole box for stacks of layers, by polynomials in the noise.
// CHECKPOINT_RULES.md, 4.19.
#pragma once

#include <map>
#include <utility>

#include "certificate/checkpoint.hpp"
#include "forward/box_pass.hpp"

namespace sinkproof::check {

class Stack {
 public:
  // All three must outlive it.
  Stack(const forward::Model& model, const certificate::Checkpoint& stated)
      : model_(model), stated_(stated) {}

  // The pass that the proof names proves the bound. Throws Rejected otherwise.
  void require_bound(const certificate::Bound& bound, const certificate::ByStack& proof);

 private:
  using Degrees = std::pair<std::size_t, std::size_t>;
  static Degrees degrees_of(const certificate::ByStack& proof) {
    return {proof.degree, proof.row_degree};
  }
  const forward::BoxBounds& bounds(const certificate::ByStack& asked);

  const forward::Model& model_;
  const certificate::Checkpoint& stated_;
  // One pass for each pair, to the last class of rows the certificate asks of it.
  std::map<Degrees, forward::BoxBounds> made_;
};

}  // namespace sinkproof::check
