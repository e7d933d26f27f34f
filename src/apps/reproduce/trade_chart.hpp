// The points of a tradeoff in two planes: loss against attention to BOS, and attention to BOS
// against the size of the values.
#pragma once

#include <vector>

#include "report/input.hpp"
#include "reproduce/tradeoff.hpp"

namespace sinkproof::reproduce {

// "loss-bos" and "bos-values". Precondition: there are points.
std::vector<report::Figure> figures(const std::vector<TradePoint>& points);

}  // namespace sinkproof::reproduce
