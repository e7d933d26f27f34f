#include "forward/rollout.hpp"

#include <algorithm>
#include <numeric>

#include "exact/whole.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;

// The least (or greatest) mean of what arrives from the keys: what their lower ends leave of the
// row goes to the keys of which least (or most) arrives.
Integer extreme(const std::vector<Range>& weights, const std::vector<Range>& arrives, bool least,
                unsigned p) {
  const auto end = [&](std::size_t k) { return least ? arrives[k].lower : arrives[k].upper; };
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return least ? end(a) < end(b) : end(a) > end(b);
  });
  Integer rest = Integer(1) << p;
  for (const Range& weight : weights) rest -= weight.lower;
  Integer sum = 0;
  for (const std::size_t k : order) {
    const Integer more = std::min(rest, Integer(weights[k].upper - weights[k].lower));
    rest -= more;
    add_product(sum, weights[k].lower + more, end(k));
  }
  return least ? Integer(sum >> p) : ceil_shift(sum, p);
}

}  // namespace

bool has_rollout(const Model& model) {
  const AttentionBlock& block = model.blocks.front();
  return block.heads == 1 && !block.residual && block.kind.averages();
}

Rollout::Rollout(std::size_t depth, std::size_t rows, unsigned p)
    : arrives_(depth + 1, std::vector<Range>(rows)), p_(p) {
  const Integer one = Integer(1) << p;
  for (std::vector<Range>& layer : arrives_) layer.front() = {one, one};
}

const Range& Rollout::follow(std::size_t layer, std::size_t row,
                             const std::vector<Range>& weights) {
  const std::vector<Range>& below = arrives_[layer];
  return arrives_[layer + 1][row - 1] = {extreme(weights, below, true, p_),
                                         extreme(weights, below, false, p_)};
}

}  // namespace sinkproof::forward
