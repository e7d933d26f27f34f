// Rules stack and moments: bounds over the whole box for stacks of layers, by polynomials in the
// noise. CHECKPOINT_RULES.md, 4.19 and 4.21.
#pragma once

#include <map>
#include <string_view>
#include <tuple>

#include "certificate/checkpoint.hpp"
#include "forward/box_pass.hpp"

namespace sinkproof::check {

class Stack {
 public:
  // All three must outlive it.
  Stack(const forward::Model& model, const certificate::Checkpoint& stated)
      : model_(model), stated_(stated) {}

  // The pass that the proof names proves the bound. Throws Rejected otherwise.
  void require_bound(const certificate::Bound& bound, std::string_view rule,
                     const certificate::Polynomials& proof);

 private:
  using Asked = std::tuple<std::string_view, std::size_t, std::size_t>;  // a rule and its degrees
  const forward::BoxBounds& bounds(const Asked& asked);

  const forward::Model& model_;
  const certificate::Checkpoint& stated_;
  // A pass for each, to the last class of rows the certificate asks of it.
  std::map<Asked, forward::BoxBounds> made_;
};

}  // namespace sinkproof::check
