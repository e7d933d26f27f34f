#include "certify/layer_row.hpp"

#include "attention/rules.hpp"
#include "certificate/strict.hpp"
#include "certify/digits.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::certify {
namespace {

using certificate::Readout;
using exact::Rational;
using exact::Result;

constexpr unsigned kShareDigits = 15;

// What a rule of the checker gives; it refuses rows that may have no weight at all.
template <typename Evaluate>
Result<Rational> evaluated(const Evaluate& evaluate) {
  try {
    return evaluate();
  } catch (const certificate::Rejected&) {
    return exact::fail("SP1404", "layer",
                       "has a row whose kernels may all vanish, so its loss has no bound");
  }
}

Result<Rational> attention_bound(const LayerRanges& ranges, RowClass rows, Readout readout) {
  certificate::Bound asked;
  asked.readout = readout;
  asked.rows = rows;
  return evaluated([&] { return check::layer_attention_bound(ranges.layer, asked); });
}

}  // namespace

Result<Proof> bound_layer_loss(const LayerRanges& ranges, RowClass rows) {
  const auto bound = evaluated([&] { return check::layer_row_bound(ranges.layer, rows); });
  if (!bound) return tl::unexpected(bound.error());
  return Proof{rounded::round_up_decimal(*bound, kDigits), certificate::ByLayerRow()};
}

Result<Proof> bound_layer_floor(const LayerRanges& ranges, RowClass rows, Slot slot) {
  const bool null = slot == Slot::kNull;
  const auto bound = attention_bound(ranges, rows, null ? Readout::kNullFloor : Readout::kBosFloor);
  if (!bound) return tl::unexpected(bound.error());
  return Proof{rounded::round_down_decimal(*bound, kShareDigits), certificate::ByLayerAttention()};
}

Result<Proof> bound_layer_ceiling(const LayerRanges& ranges, RowClass rows, Slot slot) {
  const bool null = slot == Slot::kNull;
  const auto bound =
      attention_bound(ranges, rows, null ? Readout::kNullCeiling : Readout::kBosCeiling);
  if (!bound) return tl::unexpected(bound.error());
  return Proof{rounded::round_up_decimal(*bound, kShareDigits), certificate::ByLayerAttention()};
}

}  // namespace sinkproof::certify
