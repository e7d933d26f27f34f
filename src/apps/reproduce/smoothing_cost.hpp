// Figure 3 of arXiv:2605.08453: the least ||W_Q||_F^2 + ||W_K||_F^2 of weights whose scores have
// margin 1 in the pattern of a sink (sink-A) or of a diagonal, on the normed inputs of each layer
// of a language model (docs/THEORY_COSTS.md, co-6), and what the block adds that gives back each
// row but the sink's (co-7). The rows are estimates; all bounds are proved for the rows as stored.
#pragma once

#include <cstddef>
#include <optional>
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
  // What gives the rows back costs this: for a diagonal the head's values; for a sink, whose head
  // puts out nothing, the MLP. Computed with outward rounding; no certificate.
  exact::Enclosure identity;

  [[nodiscard]] bool is_sink() const { return pattern == "sink"; }
};

// The margin, rounded up, from which on the sink's block is certainly the cheaper one: costs of
// patterns grow with the margin, those of giving back do not. None where the sink's pattern may
// cost as much.
std::optional<exact::Rational> margin_for_sink(const LayerCost& sink, const LayerCost& diagonal);

// Of the first `count` rows of different tokens of a sequence; row 1 is the sink. The folder gets
// NAME.normed.safetensors and for each layer the certificate NAME.layer-L.cost.json, which is made
// again where the rows are others, and checked each time. Costs are those that the trusted checker
// accepted; what is not found is among the lacks.
exact::Result<std::vector<LayerCost>> smoothing_costs(RunFolder& folder, const std::string& name,
                                                      const language::Model& model,
                                                      const std::vector<std::size_t>& sequence,
                                                      std::size_t count, double seconds);

// [{"layer","pattern","lower","upper","identity_lower","identity_upper"}...], decimals rounded
// outward; where a sink's is known also "sink_cheaper_from_margin".
json::Value costs_json(const std::vector<LayerCost>& costs);

}  // namespace sinkproof::reproduce
