// Row shapes and the kernels in them. CHECKPOINT_RULES.md, 4.9.
#pragma once

#include "check/layer.hpp"

namespace sinkproof::check {

// Numbers of content keys a row of the class can have: from `least` to `most`.
struct ContentKeys {
  std::size_t least;
  std::size_t most;
};
inline ContentKeys content_keys(const Layer& layer, Rows rows) {
  return {rows == Rows::kPost ? 2U : 1U, layer.length() - 2};
}

inline const certificate::QueryRanges& ranges_of(const certificate::HeadRanges& head, Rows rows) {
  return rows == Rows::kTrigger ? head.trigger : head.content;
}

inline certificate::Interval null_kernel(const certificate::QueryRanges& ranges) {
  return ranges.null ? ranges.null->kernel : certificate::Interval{0, 0};
}

}  // namespace sinkproof::check
