// The statement of rule `construction` (FORMAT.md, 3.8): a one-layer attention model on the trigger
// task (docs/THEORY.md section 0) whose weights depend on the tokens' flags alone, its exact sup
// loss and the exact range of its BOS attention. This file only reads it; whether the figures are
// right is for check/ and prove/ to say, each on its own.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certificate/attention.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certificate {

// A token's flag, and the order of everything below that has three entries.
enum Flag : std::size_t { kBos, kTrigger, kContent };
using PerFlag = std::array<exact::Rational, 3>;

struct ConstructionHead {
  std::array<PerFlag, 3> kernel;  // [query's flag][key's flag]: kernel values, not logits
  exact::Rational noise;          // the value map is this times the identity on noise coordinates
  std::array<PerFlag, 3> flags;   // and this on the flags: [output][input]
  PerFlag gate = {1, 1, 1};       // [query's flag]; 1 unless the kind is gated
};

struct Range {
  exact::Rational least;
  exact::Rational most;
  bool operator==(const Range& other) const = default;
};

// Rows i < j, i = j, i > j; there are none of the last when the length is 3.
struct RowRanges {
  Range pre;
  Range trigger;
  std::optional<Range> post;
};

struct Construction {
  static constexpr std::string_view kName = "construction";
  Attention attention = Attention::kSoftmax;
  std::size_t length = 0;               // 3..256
  std::vector<ConstructionHead> heads;  // 1..64
  exact::Rational sup_loss;             // claimed, as are the ranges
  RowRanges bos_attention;
  std::optional<RowRanges> null_attention;  // kSoftmaxNull only
  std::string scope = "all";
};

// Refuses with SP0503 (a key too many or too few, a size, a kernel value or gate its kind cannot
// have) or SP0101, naming the field.
class Fields;
void describe(Fields& io, Construction& of);

}  // namespace sinkproof::certificate
