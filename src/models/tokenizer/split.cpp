#include "tokenizer/split.hpp"

#include <algorithm>

namespace sinkproof::tokenizer {
namespace {

struct Part {
  Span span;
  bool matches = false;
};

std::vector<Part> parts_of(std::size_t size, const std::vector<Span>& matches, bool invert) {
  std::vector<Part> parts;
  std::size_t done = 0;
  for (const Span& match : matches) {
    if (done < match.begin) parts.push_back({{done, match.begin}, invert});
    parts.push_back({match, !invert});
    done = match.end;
  }
  if (done < size) parts.push_back({{done, size}, invert});
  return parts;
}

// Joins to the piece before it each part for which `joins(part before, part)`.
template <typename Joins>
std::vector<Span> joined(const std::vector<Part>& parts, Joins joins) {
  std::vector<Span> pieces;
  const Part* before = nullptr;
  for (const Part& part : parts) {
    if (before != nullptr && joins(*before, part)) {
      pieces.back() = {std::min(pieces.back().begin, part.span.begin),
                       std::max(pieces.back().end, part.span.end)};
    } else {
      pieces.push_back(part.span);
    }
    before = &part;
  }
  return pieces;
}

}  // namespace

std::vector<Span> split(std::size_t size, const std::vector<Span>& matches, SplitBehavior behavior,
                        bool invert) {
  std::vector<Part> parts = parts_of(size, matches, invert);
  const auto lone = [](const Part& before, const Part& part) {
    return part.matches && !before.matches;
  };
  std::vector<Span> pieces;
  switch (behavior) {
    case SplitBehavior::kRemoved:
      std::erase_if(parts, [](const Part& part) { return part.matches; });
      [[fallthrough]];
    case SplitBehavior::kIsolated:
      pieces = joined(parts, [](const Part&, const Part&) { return false; });
      break;
    case SplitBehavior::kMergedWithPrevious:
      pieces = joined(parts, lone);
      break;
    case SplitBehavior::kMergedWithNext:
      std::reverse(parts.begin(), parts.end());
      pieces = joined(parts, lone);
      std::reverse(pieces.begin(), pieces.end());
      break;
    case SplitBehavior::kContiguous:
      pieces = joined(parts, [](const Part& a, const Part& b) { return a.matches == b.matches; });
      break;
  }
  std::erase_if(pieces, [](const Span& piece) { return piece.begin == piece.end; });
  return pieces;
}

}  // namespace sinkproof::tokenizer
