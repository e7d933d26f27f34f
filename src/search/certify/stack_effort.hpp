// What a pass over the box (forward/box_pass.hpp) takes, before it is made: the search for bounds
// of rule `stack` chooses its degrees by it. An estimate that nothing rests on.
#pragma once

#include "certificate/box.hpp"
#include "forward/box_pass.hpp"
#include "forward/model.hpp"

namespace sinkproof::certify {

class StackEffort {
 public:
  // The model must outlive it.
  StackEffort(const forward::Model& model, const certificate::Box& box);

  // In units of about 10 ns. The request is about this model and this box.
  [[nodiscard]] double of(const forward::BoxRequest& request) const;

 private:
  const forward::Model& model_;
  double cost_;  // of an operation on its numbers, in operations on one word
};

}  // namespace sinkproof::certify
