#include "certify/layer_row.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "certify/estimate.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using exact::Result;

constexpr unsigned kDigits = 9;
constexpr unsigned kShareDigits = 15;

// The formulas are written once and evaluated twice: in floats to find the rows and coordinates
// that matter, exactly at those. Kernels run from exp(-4096) to exp(4096), so doubles would not do.
using Wide = long double;

template <typename T>
T number(const Rational& value);
template <>
Rational number<Rational>(const Rational& value) {
  return value;
}
template <>
Wide number<Wide>(const Rational& value) {
  return wide_estimate(value);
}

template <typename T>
T magnitude(const T& value) {
  return value < 0 ? T(-value) : value;
}

template <typename T>
struct Interval {
  T centre;
  T radius;
  T least;
  T greatest;
};

template <typename T>
Interval<T> interval(const Range& range) {
  return {number<T>((range.least + range.greatest) / 2),
          number<T>((range.greatest - range.least) / 2), number<T>(range.least),
          number<T>(range.greatest)};
}

struct Shape {
  RowClass rows;
  std::uint32_t content;
  std::uint32_t triggers;
  [[nodiscard]] std::uint32_t keys() const { return content + triggers; }
};

struct Side {
  std::size_t r;
  int s;
};

// One head in one shape of row: the reference weights of its keys and how far they may be off.
template <typename T>
struct Reference {
  T bos, content, trigger, null;
  T bos_radius, content_radius, trigger_radius, null_radius;
  T denominator;
  Interval<T> gate;
};

template <typename T>
Reference<T> reference(const Layer& layer, const HeadRanges& head, const Shape& shape) {
  const QueryRanges& range = shape.rows == RowClass::kTrigger ? head.trigger : head.content;
  const auto bos = interval<T>(range.bos);
  const auto content = interval<T>(range.content);
  const auto trigger = interval<T>(range.trigger);
  const T m(shape.content);
  const T t(shape.triggers);
  const auto null = interval<T>(range.null);
  const bool normalised = model::is_normalised(layer.attention);
  const T total = normalised ? T(null.centre + bos.centre + m * content.centre + t * trigger.centre)
                             : T(shape.keys());
  const T least = normalised ? T(null.least + bos.least + m * content.least + t * trigger.least)
                             : T(shape.keys());
  return {T(bos.centre / total),
          T(content.centre / total),
          T(t * trigger.centre / total),
          T(null.centre / total),
          bos.radius,
          content.radius,
          T(t * trigger.radius),
          null.radius,
          least,
          interval<T>(range.gate)};
}

template <typename T>
T normalised_deviation(const Reference<T>& p, const Shape& shape, const T& v_bos,
                       const T& v_content, const T& v_trigger, const T& swing) {
  const T m(shape.content);
  const T bos_content = magnitude<T>(v_bos - v_content) + swing;
  const T bos_trigger = magnitude<T>(v_bos - v_trigger) + swing;
  const T content_trigger = magnitude<T>(v_content - v_trigger) + 2 * swing;
  const T spread = shape.content % 2 == 0 ? swing : T(swing - swing / (m * m));
  const T off_content = spread + p.trigger * content_trigger + p.bos * bos_content +
                        p.null * (magnitude(v_content) + swing);
  const T off_trigger = m * p.content * content_trigger + p.bos * bos_trigger +
                        p.null * (magnitude(v_trigger) + swing);
  const T off_bos =
      m * p.content * bos_content + p.trigger * bos_trigger + p.null * magnitude(v_bos);
  const T off_null = m * p.content * (magnitude(v_content) + swing) +
                     p.trigger * (magnitude(v_trigger) + swing) + p.bos * magnitude(v_bos);
  return (m * p.content_radius * off_content + p.trigger_radius * off_trigger +
          p.bos_radius * off_bos + p.null_radius * off_null) /
         p.denominator;
}

template <typename T>
T bound_at(const Layer& layer, const std::vector<Reference<T>>& references, const Shape& shape,
           const Side& side) {
  const std::size_t content_flag = layer.width() - 1;
  const T m(shape.content);
  const T share = T(1) / T(shape.keys());
  const bool trigger_row = shape.rows == RowClass::kTrigger;
  T bound = side.s * number<T>(layer.constant[side.r]);
  const auto token = [&](std::size_t c) {
    return T(side.s * number<T>(layer.heads.front().token(side.r, c)));
  };
  if (trigger_row) bound -= share * (m * token(content_flag) + token(kTriggerFlag));
  std::vector<T> content(layer.noise(), T(0));
  std::vector<T> trigger(layer.noise(), T(0));
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const Head& head = layer.heads[h];
    const Reference<T>& p = references[h];
    const auto v = [&](std::size_t c) { return T(side.s * number<T>(head.value(side.r, c))); };
    T swing(0);
    for (std::size_t l = 0; l < layer.noise(); ++l) {
      const T entry = v(kFirstNoise + l);
      swing += magnitude(entry);
      content[l] += p.gate.centre * p.content * entry;
      trigger[l] += p.gate.centre * p.trigger * entry;
    }
    const T v_bos = v(kBosFlag);
    const T v_content = v(content_flag);
    const T v_trigger = v(kTriggerFlag);
    const T most_content = magnitude(v_content) + swing;
    const T most_trigger = magnitude(v_trigger) + swing;
    bound += p.gate.centre * (p.bos * v_bos + m * p.content * v_content + p.trigger * v_trigger);
    const T deviation =
        model::is_normalised(layer.attention)
            ? normalised_deviation(p, shape, v_bos, v_content, v_trigger, swing)
            : T((m * p.content_radius * most_content + p.trigger_radius * most_trigger +
                 p.bos_radius * magnitude(v_bos)) /
                p.denominator);
    const T size = magnitude<T>(p.bos * v_bos) + m * magnitude(p.content) * most_content +
                   magnitude(p.trigger) * most_trigger;
    bound += p.gate.greatest * deviation + p.gate.radius * size;
  }
  if (trigger_row && side.r >= kFirstNoise && side.r < content_flag) {
    content[side.r - kFirstNoise] -= share * token(side.r);
    trigger[side.r - kFirstNoise] -= share * token(side.r);
  }
  for (std::size_t l = 0; l < layer.noise(); ++l) {
    bound += m * magnitude(content[l]) + T(shape.triggers) * magnitude(trigger[l]);
  }
  return bound;
}

template <typename T>
std::vector<Reference<T>> all_references(const Layer& layer, const LayerRanges& ranges,
                                         const Shape& shape) {
  std::vector<Reference<T>> references;
  for (const HeadRanges& head : ranges.heads) {
    references.push_back(reference<T>(layer, head, shape));
  }
  return references;
}

// Row 1 at one coordinate and sign.
Rational first_row_bound(const Layer& layer, const LayerRanges& ranges, const Side& side) {
  Rational bound = side.s * layer.constant[side.r];
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    Range weight = ranges.heads[h].first;
    if (layer.has_null_slot()) {
      weight = {weight.least / (1 + weight.least), weight.greatest / (1 + weight.greatest)};
    } else if (model::is_normalised(layer.attention)) {
      weight = {1, 1};
    }
    const Range& gate = ranges.heads[h].first_gate;
    const Rational value = side.s * layer.heads[h].value(side.r, kBosFlag);
    bound += exact::max(gate.least * weight.least * value, gate.greatest * weight.greatest * value);
  }
  return bound;
}

std::vector<Shape> shapes(const Layer& layer, RowClass rows) {
  std::vector<Shape> result;
  const std::uint32_t triggers = rows == RowClass::kPre ? 0 : 1;
  for (std::uint32_t m = rows == RowClass::kPost ? 2 : 1; m + 2 <= layer.length(); ++m) {
    result.push_back({rows, m, triggers});
  }
  return result;
}

// What a slot is paid in one head and shape: from ranges of the slot's own and the other kernels.
std::optional<Range> paid(const Layer& layer, const HeadRanges& head, const Shape& shape,
                          Slot slot) {
  const QueryRanges& range = shape.rows == RowClass::kTrigger ? head.trigger : head.content;
  if (!model::is_normalised(layer.attention)) {
    const Rational keys(shape.keys());
    return Range{range.bos.least / keys, range.bos.greatest / keys};
  }
  const Range& null = range.null;
  const Rational m(shape.content);
  const Rational t(shape.triggers);
  const Rational few = m * range.content.least + t * range.trigger.least;
  const Rational many = m * range.content.greatest + t * range.trigger.greatest;
  if (slot == Slot::kNull) {
    return Range{null.least / (null.least + range.bos.greatest + many),
                 null.greatest / (null.greatest + range.bos.least + few)};
  }
  if (null.greatest + range.bos.least + many <= 0 || null.least + range.bos.greatest + few <= 0) {
    return std::nullopt;
  }
  return Range{range.bos.least / (null.greatest + range.bos.least + many),
               range.bos.greatest / (null.least + range.bos.greatest + few)};
}

// Generously what bound_at<Wide> may be off by: heads may cancel.
Wide rounding_error(const Layer& layer, const LayerRanges& ranges) {
  Wide size = 1;
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    Wide values = 0;
    for (std::size_t r = 0; r < layer.width(); ++r) {
      for (std::size_t c = 0; c < layer.width(); ++c) {
        values += magnitude(number<Wide>(layer.heads[h].value(r, c)));
      }
    }
    Wide weight = 1;
    for (const QueryRanges* query : {&ranges.heads[h].content, &ranges.heads[h].trigger}) {
      if (model::is_normalised(layer.attention)) break;
      for (const Range& range : {query->bos, query->content, query->trigger}) {
        weight += magnitude(number<Wide>(range.least)) + magnitude(number<Wide>(range.greatest));
      }
    }
    size += values * weight;
  }
  return 1e-13L * size;
}

tl::unexpected<exact::Error> vanishing() {
  return exact::fail("SP1404", "layer",
                     "the kernels of a row are not certainly positive, so nothing bounds it");
}

// Hull over all heads and shapes of a class.
Result<Range> paid_anywhere(const Layer& layer, const LayerRanges& ranges, RowClass rows,
                            Slot slot) {
  std::optional<Range> hull;
  for (const HeadRanges& head : ranges.heads) {
    for (const Shape& shape : shapes(layer, rows)) {
      const std::optional<Range> here = paid(layer, head, shape, slot);
      if (!here) return vanishing();
      if (!hull) hull = here;
      hull =
          Range{exact::min(hull->least, here->least), exact::max(hull->greatest, here->greatest)};
    }
  }
  return *hull;
}

}  // namespace

Result<Proof> bound_layer_loss(const Layer& layer, const LayerRanges& ranges, RowClass rows) {
  struct Scored {
    Wide value;
    Shape shape;
    Side side;
  };
  std::vector<Scored> scored;
  for (const Shape& shape : shapes(layer, rows)) {
    const auto references = all_references<Wide>(layer, ranges, shape);
    for (const auto& head : references) {
      if (!(head.denominator > 0)) return vanishing();
    }
    for (std::size_t r = 0; r < layer.width(); ++r) {
      for (const int s : {1, -1}) {
        scored.push_back({bound_at<Wide>(layer, references, shape, {r, s}), shape, {r, s}});
      }
    }
  }
  Wide top = 0;
  for (const Scored& entry : scored) top = std::max(top, entry.value);
  Rational bound = 0;
  const Wide threshold = top * (1 - 1e-9L) - rounding_error(layer, ranges);
  for (const Scored& entry : scored) {
    if (entry.value < threshold) continue;
    const auto references = all_references<Rational>(layer, ranges, entry.shape);
    bound = exact::max(bound, bound_at<Rational>(layer, references, entry.shape, entry.side));
  }
  for (std::size_t r = 0; rows == RowClass::kPre && r < layer.width(); ++r) {
    for (const int s : {1, -1}) bound = exact::max(bound, first_row_bound(layer, ranges, {r, s}));
  }
  return Proof{rounded::round_up_decimal(bound, kDigits), {{"rule", "layer-row"}}};
}

Result<Proof> bound_layer_floor(const Layer& layer, const LayerRanges& ranges, RowClass rows,
                                Slot slot) {
  const auto range = paid_anywhere(layer, ranges, rows, slot);
  if (!range) return tl::unexpected(range.error());
  return Proof{rounded::round_down_decimal(range->least, kShareDigits),
               {{"rule", "layer-attention"}}};
}

Result<Proof> bound_layer_ceiling(const Layer& layer, const LayerRanges& ranges, RowClass rows,
                                  Slot slot) {
  const auto range = paid_anywhere(layer, ranges, rows, slot);
  if (!range) return tl::unexpected(range.error());
  return Proof{rounded::round_up_decimal(range->greatest, kShareDigits),
               {{"rule", "layer-attention"}}};
}

}  // namespace sinkproof::certify
