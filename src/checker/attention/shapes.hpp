// Row shapes and the kernels in them. CHECKPOINT_RULES.md, 4.9.
#pragma once

#include <array>

#include "attention/layer.hpp"

namespace sinkproof::check {

// Numbers of content keys a row of the class can have: from `least` to `most`.
struct ContentKeys {
  std::size_t least;
  std::size_t most;
};
inline ContentKeys content_keys(const Layer& layer, Rows rows) {
  return {rows == Rows::kPost ? 2U : 1U, layer.length() - 2};
}

// What a row attends to: a number or the like for each g in {B, C, T, 0}.
enum Key { kBosKey, kContentKey, kTriggerKey, kNullSlot, kKeys };
template <typename T>
using ByKey = std::array<T, kKeys>;

// Precondition: not the null slot.
inline std::size_t flag_of(const Head& head, Key key) {
  return key == kContentKey ? head.content_flag() : key == kTriggerKey ? kTriggerFlag : kBosFlag;
}

// (f, m, t), with N = m + t.
struct Shape {
  Shape(Rows of, std::size_t content_keys)
      : rows(of),
        content(content_keys),
        counts{1, content_keys, rows == Rows::kPre ? 0 : 1, 1},
        keys(counts[kContentKey] + counts[kTriggerKey]) {}

  Rows rows;
  std::size_t content;
  ByKey<exact::Rational> counts;
  exact::Rational keys;
};

inline const certificate::QueryRanges& ranges_of(const certificate::HeadRanges& head, Rows rows) {
  return rows == Rows::kTrigger ? head.trigger : head.content;
}

// Of the classes (f, g); a null slot that is not there has kernel 0.
inline ByKey<certificate::KernelClass> classes_of(const certificate::HeadRanges& head, Rows rows) {
  const certificate::QueryRanges& ranges = ranges_of(head, rows);
  return {ranges.bos, ranges.content, ranges.trigger,
          ranges.null ? *ranges.null : certificate::KernelClass{0, 0, {0, 0}}};
}

}  // namespace sinkproof::check
