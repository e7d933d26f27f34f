// The six models of arXiv:2603.11487: softmax and ReLU attention, one layer of one head, and stacks
// of 2 x 2 and 4 x 4 with residual connections; d_model 16, length 16.
#pragma once

#include <string>
#include <vector>

#include "train/train.hpp"

namespace sinkproof::reproduce {

struct Variant {
  std::string name;           // "softmax-1x1": layers x heads
  std::string paper_figures;  // "Figure 3": those of the paper that show models of its size
  train::Shape shape;
};

// The words a selection is made of: attentions and sizes.
const std::vector<std::string>& selection_words();

// Those of an attention and of a size that is named; where no attention, or no size, is named, of
// all. Precondition: words of selection_words().
std::vector<Variant> variants(const std::vector<std::string>& words);

}  // namespace sinkproof::reproduce
