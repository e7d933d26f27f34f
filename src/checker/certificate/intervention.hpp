// What a statement about a language model changes in it first. LANGUAGE_RULES.md, 5.4.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace sinkproof::certificate {

// Query i sees key k only where k <= first or i - k < window. `renumbered`: positions are those
// within the cache, so that none exceeds first + window.
struct Eviction {
  std::size_t first = 0;
  std::size_t window = 1;
  bool renumbered = false;
  bool operator==(const Eviction&) const = default;
};

// What heads no longer see; positions count from 1, layers and heads from 0.
struct Intervention {
  std::optional<Eviction> eviction;
  // These heads, (layer, head) in ascending order, do not see key 1 from row 2 on.
  std::vector<std::pair<std::size_t, std::size_t>> ablated;

  [[nodiscard]] bool any() const { return eviction || !ablated.empty(); }
  [[nodiscard]] bool ablates(std::size_t layer, std::size_t head) const {
    return std::binary_search(ablated.begin(), ablated.end(), std::pair(layer, head));
  }
  bool operator==(const Intervention&) const = default;
};

}  // namespace sinkproof::certificate
