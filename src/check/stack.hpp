// Rule stack: bounds over the whole box for stacks of layers, by polynomials in the noise.
// CHECKPOINT_RULES.md, 4.19.
#pragma once

#include <map>
#include <utility>

#include "certificate/checkpoint.hpp"
#include "certificate/work.hpp"
#include "forward/box_pass.hpp"

namespace sinkproof::check {

class Stack {
 public:
  // All three must outlive it.
  Stack(const forward::Model& model, const certificate::Checkpoint& stated, certificate::Work& work)
      : model_(model), stated_(stated), work_(work) {}

  // The pass with polynomials of these degrees proves the bound. Throws Rejected otherwise.
  void require_bound(const certificate::Bound& bound, std::size_t degree, std::size_t row_degree);

 private:
  const forward::BoxBounds& bounds(std::size_t degree, std::size_t row_degree);

  const forward::Model& model_;
  const certificate::Checkpoint& stated_;
  certificate::Work& work_;
  // One pass for each pair of degrees, to the last class of rows the certificate asks of it.
  std::map<std::pair<std::size_t, std::size_t>, forward::BoxBounds> made_;
};

}  // namespace sinkproof::check
