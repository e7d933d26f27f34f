// Figure 3 of arXiv:2605.08453: the least ||W_Q||_F^2 + ||W_K||_F^2 of weights whose scores have
// margin 1 in the pattern of a sink (sink-A) or of a diagonal, on the normed inputs of each layer
// of a language model (docs/THEORY_COSTS.md, co-6), and what values add to both. The rows are
// estimates; the intervals are proved for the rows as stored. MLPs are not part of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "exact/exp_enclosure.hpp"
#include "json/strict.hpp"
#include "language/model.hpp"
#include "reproduce/run_folder.hpp"

namespace sinkproof::reproduce {

struct LayerCost {
  std::size_t layer = 0;
  std::string pattern;  // "sink" or "diagonal"
  exact::Enclosure cost;
  // The least ||W_V||_F^2 + ||W_O||_F^2 of a head whose value and output maps give back each row
  // but the sink's: twice the dimension of their span (co-1), computed exactly; no certificate.
  std::size_t values = 0;
};

// Of the first `count` rows of different tokens of a sequence; row 1 is the sink. The folder gets
// NAME.normed.safetensors and for each layer the certificate NAME.layer-L.cost.json, which is made
// again where the rows are others, and checked each time. Costs are those that the trusted checker
// accepted; what is not found is among the lacks.
exact::Result<std::vector<LayerCost>> smoothing_costs(RunFolder& folder, const std::string& name,
                                                      const language::Model& model,
                                                      const std::vector<std::size_t>& sequence,
                                                      std::size_t count, double seconds);

// [{"layer","pattern","lower","upper","values"}...], decimals rounded outward.
json::Value costs_json(const std::vector<LayerCost>& costs);

}  // namespace sinkproof::reproduce
