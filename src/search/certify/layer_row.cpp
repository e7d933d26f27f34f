#include "certify/layer_row.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "certify/digits.hpp"
#include "certify/estimate.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using exact::Result;

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
T centre_of(const Range& range) {
  return number<T>((range.least + range.greatest) / 2);
}
template <typename T>
T radius_of(const Range& range) {
  return number<T>((range.greatest - range.least) / 2);
}

// A class of rows and its number of content keys; how many keys there are of each class.
struct Shape {
  Shape(RowClass of, std::uint32_t content_keys)
      : rows(of), counts{1, content_keys, of == RowClass::kPre ? 0U : 1U, 1} {}

  RowClass rows;
  ByKey<std::uint32_t> counts;
  [[nodiscard]] std::uint32_t content() const { return counts[kContentKey]; }
  [[nodiscard]] std::uint32_t keys() const { return counts[kContentKey] + counts[kTriggerKey]; }
};

const QueryRanges& ranges_of(const HeadRanges& head, const Shape& shape) {
  return shape.rows == RowClass::kTrigger ? head.trigger : head.content;
}

// One head in one shape of row: the reference weights of its keys and how far their kernels may be
// off, of all keys of a class together; and its gate.
template <typename T>
struct Reference {
  ByKey<T> weight;
  ByKey<T> radius;
  T denominator;
  T gate, gate_radius, gate_most;
};

template <typename T>
Reference<T> reference(const Layer& layer, const HeadRanges& head, const Shape& shape) {
  const QueryRanges& ranges = ranges_of(head, shape);
  Reference<T> result{{},
                      {},
                      T(0),
                      centre_of<T>(ranges.gate),
                      radius_of<T>(ranges.gate),
                      number<T>(ranges.gate.greatest)};
  T total(0);
  for (std::size_t g = 0; g < kKeys; ++g) {
    const T count(shape.counts[g]);
    result.weight[g] = count * centre_of<T>(ranges.keys[g]);
    result.radius[g] = count * radius_of<T>(ranges.keys[g]);
    result.denominator += count * number<T>(ranges.keys[g].least);
    total += result.weight[g];
  }
  if (!model::is_normalised(layer.attention)) total = result.denominator = T(shape.keys());
  for (T& weight : result.weight) weight /= total;
  return result;
}

// The values of a head's keys at one coordinate; those with noise lie within a reach of them.
template <typename T>
struct Values {
  ByKey<T> middle;
  ByKey<T> reach;

  [[nodiscard]] T size(std::size_t g) const { return magnitude<T>(middle[g]) + reach[g]; }
  [[nodiscard]] T distance(std::size_t g, std::size_t k) const {
    return magnitude<T>(middle[g] - middle[k]) + reach[g] + reach[k];
  }
};

// How far a key's value may be from the mean by the reference weights.
template <typename T>
T off(const Reference<T>& p, const Values<T>& values, const Shape& shape, std::size_t g) {
  T result(0);
  for (std::size_t k = 0; k < kKeys; ++k) {
    if (k != g) result += p.weight[k] * values.distance(g, k);
  }
  if (g != kContentKey) return result;
  const T m(shape.content());
  const T& swing = values.reach[g];
  return result + (shape.content() % 2 == 0 ? swing : T(swing - swing / (m * m)));
}

// Of both signs of coordinate r.
template <typename T>
T bound_at(const Layer& layer, const std::vector<Reference<T>>& references, const Shape& shape,
           std::size_t r) {
  const std::size_t content_flag = layer.width() - 1;
  T centre = number<T>(layer.constant[r]);
  T rest(0);
  // Of the noise of content keys and of the trigger.
  ByKey<std::vector<T>> swings;
  for (const Key g : {kContentKey, kTriggerKey}) swings[g].assign(layer.noise(), T(0));
  if (shape.rows == RowClass::kTrigger) {
    const auto token = [&](std::size_t c) { return number<T>(layer.heads.front().token(r, c)); };
    for (const auto& [g, flag] :
         {std::pair(kContentKey, content_flag), std::pair(kTriggerKey, kTriggerFlag)}) {
      const T share = T(shape.counts[g]) / T(shape.keys());
      centre -= share * token(flag);
      if (r >= kFirstNoise && r < content_flag) swings[g][r - kFirstNoise] = -share * token(r);
    }
  }
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const Reference<T>& p = references[h];
    const auto v = [&](std::size_t c) { return number<T>(layer.heads[h].value(r, c)); };
    Values<T> values{{v(kBosFlag), v(content_flag), v(kTriggerFlag), T(0)}, {}};
    for (std::size_t l = 0; l < layer.noise(); ++l) {
      const T entry = v(kFirstNoise + l);
      for (const Key g : {kContentKey, kTriggerKey}) {
        values.reach[g] += magnitude(entry);
        swings[g][l] += p.gate * p.weight[g] * entry;
      }
    }
    T deviation(0);
    for (std::size_t g = 0; g < kKeys; ++g) {
      centre += p.gate * p.weight[g] * values.middle[g];
      rest += p.gate_radius * magnitude(p.weight[g]) * values.size(g);
      deviation += p.radius[g] * (model::is_normalised(layer.attention) ? off(p, values, shape, g)
                                                                        : values.size(g));
    }
    rest += p.gate_most * deviation / p.denominator;
  }
  for (const std::vector<T>& swing : swings) {
    for (const T& entry : swing) rest += magnitude(entry);
  }
  return magnitude(centre) + rest;
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

std::vector<Shape> shapes(const Layer& layer, RowClass rows) {
  std::vector<Shape> result;
  for (std::uint32_t m = rows == RowClass::kPost ? 2 : 1; m + 2 <= layer.length(); ++m) {
    result.emplace_back(rows, m);
  }
  return result;
}

// The least or the most a slot is paid in one head and shape: from ranges of the slot's own and the
// other kernels.
std::optional<Rational> paid(const Layer& layer, const HeadRanges& head, const Shape& shape,
                             Slot slot, bool most) {
  const Key own = slot == Slot::kNull ? kNullSlot : kBosKey;
  const auto end = [&](std::size_t g, bool greatest) {
    const Range& range = ranges_of(head, shape).keys[g];
    return greatest ? range.greatest : range.least;
  };
  const Rational share = end(own, most);
  if (!model::is_normalised(layer.attention)) return Rational(share / shape.keys());
  Rational total = share;
  for (std::size_t g = 0; g < kKeys; ++g) {
    if (g != own) total += shape.counts[g] * end(g, !most);
  }
  if (total <= 0) return std::nullopt;
  return Rational(share / total);
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
      for (const Range& range : query->keys) {
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

// Over all heads and shapes of a class.
Result<Proof> bound_paid(const Layer& layer, const LayerRanges& ranges, RowClass rows, Slot slot,
                         bool most) {
  std::optional<Rational> bound;
  for (const HeadRanges& head : ranges.heads) {
    for (const Shape& shape : shapes(layer, rows)) {
      const auto here = paid(layer, head, shape, slot, most);
      if (!here) return vanishing();
      if (!bound || (most ? *here > *bound : *here < *bound)) bound = here;
    }
  }
  return Proof{most ? rounded::round_up_decimal(*bound, kShareDigits)
                    : rounded::round_down_decimal(*bound, kShareDigits),
               certificate::ByLayerAttention()};
}

}  // namespace

Rational first_row_bound(const Layer& layer, const LayerRanges& ranges) {
  Rational most = 0;
  for (std::size_t r = 0; r < layer.width(); ++r) {
    for (const int s : {1, -1}) {
      Rational bound = s * layer.constant[r];
      for (std::size_t h = 0; h < layer.heads.size(); ++h) {
        Range weight = ranges.heads[h].first;
        if (layer.has_null_slot()) {
          weight = {weight.least / (1 + weight.least), weight.greatest / (1 + weight.greatest)};
        } else if (model::is_normalised(layer.attention)) {
          weight = {1, 1};
        }
        const Range& gate = ranges.heads[h].first_gate;
        const Rational value = s * layer.heads[h].value(r, kBosFlag);
        bound +=
            exact::max(gate.least * weight.least * value, gate.greatest * weight.greatest * value);
      }
      most = exact::max(most, bound);
    }
  }
  return most;
}

Result<Proof> bound_layer_loss(const Layer& layer, const LayerRanges& ranges, RowClass rows) {
  struct Scored {
    Wide value;
    Shape shape;
    std::size_t r;
  };
  std::vector<Scored> scored;
  for (const Shape& shape : shapes(layer, rows)) {
    const auto references = all_references<Wide>(layer, ranges, shape);
    for (const auto& head : references) {
      if (!(head.denominator > 0)) return vanishing();
    }
    for (std::size_t r = 0; r < layer.width(); ++r) {
      scored.push_back({bound_at<Wide>(layer, references, shape, r), shape, r});
    }
  }
  Wide top = 0;
  for (const Scored& entry : scored) top = std::max(top, entry.value);
  Rational bound = 0;
  const Wide threshold = top * (1 - 1e-9L) - rounding_error(layer, ranges);
  for (const Scored& entry : scored) {
    if (entry.value < threshold) continue;
    const auto references = all_references<Rational>(layer, ranges, entry.shape);
    bound = exact::max(bound, bound_at<Rational>(layer, references, entry.shape, entry.r));
  }
  if (rows == RowClass::kPre) bound = exact::max(bound, first_row_bound(layer, ranges));
  return Proof{rounded::round_up_decimal(bound, kDigits), certificate::ByLayerRow()};
}

Result<Proof> bound_layer_floor(const Layer& layer, const LayerRanges& ranges, RowClass rows,
                                Slot slot) {
  return bound_paid(layer, ranges, rows, slot, false);
}

Result<Proof> bound_layer_ceiling(const Layer& layer, const LayerRanges& ranges, RowClass rows,
                                  Slot slot) {
  return bound_paid(layer, ranges, rows, slot, true);
}

}  // namespace sinkproof::certify
