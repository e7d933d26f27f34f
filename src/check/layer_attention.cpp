// LAYER_RULES.md sections 5.5 and 5.6.
#include "check/layer_rules.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

const QueryRanges& ranges_of(const HeadRanges& head, Rows rows) {
  return rows == Rows::kTrigger ? head.trigger : head.content;
}

}  // namespace

ContentKeys content_keys(const Layer& layer, Rows rows) {
  return {rows == Rows::kPost ? 2U : 1U, layer.length() - 2};
}

void rule_layer_floor(const Layer& layer, const std::vector<HeadRanges>& ranges, Rows rows,
                      Slot slot, const Rational& lower) {
  const ContentKeys count = content_keys(layer, rows);
  const Rational triggers = rows == Rows::kPre ? 0 : 1;
  for (const HeadRanges& head : ranges) {
    const QueryRanges& range = ranges_of(head, rows);
    for (const std::size_t keys : {count.least, count.most}) {
      const Rational m(keys);
      if (!layer.attention.normalised) {
        require(lower * (m + triggers) <= range.bos.least, "layer-attention",
                "attention may be below the floor");
        continue;
      }
      const Rational others = m * range.content.greatest + triggers * range.trigger.greatest;
      const bool bos = slot == Slot::kBos;
      const Rational own = bos ? range.bos.least : range.null.least;
      const Rational total = own + (bos ? range.null.greatest : range.bos.greatest) + others;
      require(total > 0, "layer-attention", "a row may have no weight at all");
      require(lower * total <= own, "layer-attention", "attention may be below the floor");
    }
  }
}

void rule_layer_ceiling(const Layer& layer, const std::vector<HeadRanges>& ranges, Rows rows,
                        Slot slot, const Rational& upper) {
  const ContentKeys count = content_keys(layer, rows);
  const Rational triggers = rows == Rows::kPre ? 0 : 1;
  for (const HeadRanges& head : ranges) {
    const QueryRanges& range = ranges_of(head, rows);
    for (const std::size_t keys : {count.least, count.most}) {
      const Rational m(keys);
      if (!layer.attention.normalised) {
        require(range.bos.greatest <= upper * (m + triggers), "layer-attention",
                "attention may be above the ceiling");
        continue;
      }
      const Rational others = m * range.content.least + triggers * range.trigger.least;
      const bool bos = slot == Slot::kBos;
      const Rational own = bos ? range.bos.greatest : range.null.greatest;
      const Rational total = own + (bos ? range.null.least : range.bos.least) + others;
      require(total > 0, "layer-attention", "a row may have no weight at all");
      require(own <= upper * total, "layer-attention", "attention may be above the ceiling");
    }
  }
}

}  // namespace sinkproof::check
