// Cutting text at the places a pattern matches, in the five ways that tokenizer.json knows.
#pragma once

#include <cstddef>
#include <vector>

namespace sinkproof::tokenizer {

struct Span {  // bytes [begin, end) of a text
  std::size_t begin = 0;
  std::size_t end = 0;
};

enum class SplitBehavior {
  kRemoved,             // what matches goes
  kIsolated,            // a piece of its own
  kMergedWithPrevious,  // what matches goes to the piece before it, unless that matches, too
  kMergedWithNext,
  kContiguous,  // neighbours that both match, or both do not, are one piece
};

// The pieces of a text of `size` bytes, none empty, in order; `matches` are in order and do not
// overlap. `invert`: what matches is what does not.
std::vector<Span> split(std::size_t size, const std::vector<Span>& matches, SplitBehavior behavior,
                        bool invert);

}  // namespace sinkproof::tokenizer
