// CHECKPOINT_RULES.md, 4.11.
#include "attention/logit_forms.hpp"
#include "attention/rules.hpp"
#include "attention/shapes.hpp"
#include "attention/whole_form.hpp"
#include "certificate/rule.hpp"

namespace sinkproof::check {
namespace {

using certificate::HeadRanges;
using certificate::Interval;
using exact::abs;
using exact::Rational;
using exact::RationalMatrix;

Rational centre_of(const Interval& range) { return (range.least + range.greatest) / 2; }
Rational width_of(const Interval& range) { return (range.greatest - range.least) / 2; }

// Of one head in rows of one shape, the same for all coordinates: n_g p_g and n_g d_g of the n_g
// keys of each class.
struct Shares {
  ByKey<Rational> weight;
  ByKey<Rational> width;
  Rational denominator;  // Z_least, or N
  Interval gate;
};

Shares shares_of(const Layer& layer, const HeadRanges& head, const Shape& shape) {
  const auto classes = classes_of(head, shape.rows);
  Shares shares{{}, {}, 0, ranges_of(head, shape.rows).gate};
  Rational total = 0;
  for (std::size_t g = 0; g < kKeys; ++g) {
    const Interval& kernel = classes[g].kernel;
    shares.weight[g] = shape.counts[g] * centre_of(kernel);
    shares.width[g] = shape.counts[g] * width_of(kernel);
    shares.denominator += shape.counts[g] * kernel.least;
    total += shares.weight[g];
  }
  if (layer.kind.normalised) {
    require(shares.denominator > 0 && total > 0, "layer-row", "a row may have no weight at all");
  } else {
    total = shares.denominator = shape.keys;
  }
  for (Rational& weight : shares.weight) weight /= total;
  return shares;
}

// v_g of one head at one coordinate; values of keys with noise lie within rho of it.
struct Values {
  ByKey<Rational> middle;
  NoiseRow noise;

  [[nodiscard]] const Rational& rho() const { return noise.sum(); }
  [[nodiscard]] Rational reach(std::size_t g) const {
    return g == kContentKey || g == kTriggerKey ? rho() : Rational(0);
  }
  // The most that |value| of a key can be, and how far it can be from another's.
  [[nodiscard]] Rational size(std::size_t g) const { return abs(middle[g]) + reach(g); }
  [[nodiscard]] Rational distance(std::size_t g, std::size_t k) const {
    return abs(middle[g] - middle[k]) + reach(g) + reach(k);
  }
};

// What rows of all shapes have in common at one coordinate.
struct Coordinate {
  std::size_t r;
  std::vector<Values> values;  // one for each head
  NoiseRow radius;             // X[r][r] at coordinate r of the noise
};

std::vector<Coordinate> coordinates_of(const Layer& layer) {
  std::vector<Coordinate> result;
  for (std::size_t r = 0; r < layer.width(); ++r) {
    std::vector<Values> values;
    for (const Head& head : layer.heads) {
      const auto v = [&](std::size_t flag) { return head.value(r, flag); };
      values.push_back(
          {{v(kBosFlag), v(head.content_flag()), v(kTriggerFlag), 0}, noise_values(head, {r, 1})});
    }
    result.push_back({r, std::move(values), noise_radius(layer.heads.front(), r)});
  }
  return result;
}

// off_g
Rational off(const Shares& shares, const Values& values, const Shape& shape, std::size_t g) {
  Rational result = 0;
  for (std::size_t k = 0; k < kKeys; ++k) {
    if (k != g && shares.weight[k] != 0) result += shares.weight[k] * values.distance(g, k);
  }
  if (g != kContentKey) return result;
  const Rational& m = shape.counts[kContentKey];
  const bool odd = shape.content % 2 == 1;
  return result + (odd ? Rational(values.rho() * (1 - 1 / (m * m))) : values.rho());
}

Rational slack_of(const Layer& layer, const Shares& shares, const Values& values,
                  const Shape& shape) {
  Rational deviation = 0;
  Rational size = 0;
  for (std::size_t g = 0; g < kKeys; ++g) {
    size += abs(shares.weight[g]) * values.size(g);
    if (shares.width[g] == 0) continue;
    deviation +=
        shares.width[g] * (layer.kind.normalised ? off(shares, values, shape, g) : values.size(g));
  }
  return shares.gate.greatest * deviation / shares.denominator + width_of(shares.gate) * size;
}

// m swing_C + t swing_T.
Rational swings(const Layer& layer, const std::vector<Shares>& shares, const Shape& shape,
                const Coordinate& at) {
  Rational total = 0;
  for (const Key g : {kContentKey, kTriggerKey}) {
    AffineForm sum;
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      sum.add(centre_of(shares[h].gate) * shares[h].weight[g], at.values[h].noise.row());
    }
    if (shape.rows == Rows::kTrigger) sum.add(-shape.counts[g] / shape.keys, at.radius.row());
    total += swing_of(sum, layer.noise());
  }
  return total;
}

// The larger E of both signs, for one shape and coordinate: only the centre has the sign.
Rational row_bound(const Layer& layer, const std::vector<Shares>& shares, const Shape& shape,
                   const Coordinate& at) {
  Rational centre = layer.constant[at.r];
  Rational rest = swings(layer, shares, shape, at);
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    for (std::size_t g = 0; g < kKeys; ++g) {
      centre += centre_of(shares[h].gate) * shares[h].weight[g] * at.values[h].middle[g];
    }
    rest += slack_of(layer, shares[h], at.values[h], shape);
  }
  if (shape.rows == Rows::kTrigger) {
    const RationalMatrix& token = layer.heads.front().token;
    centre -=
        (shape.counts[kContentKey] * token(at.r, layer.width() - 1) + token(at.r, kTriggerFlag)) /
        shape.keys;
  }
  return abs(centre) + rest;
}

// The weight of BOS in row 1 of one head.
Interval first_weight(const Layer& layer, const HeadRanges& head) {
  const Interval& kernel = head.first;
  if (!layer.kind.normalised) return kernel;
  if (!layer.kind.null_slot) return {1, 1};
  return {kernel.least / (1 + kernel.least), kernel.greatest / (1 + kernel.greatest)};
}

}  // namespace

Rational first_row_bound(const Layer& layer) {
  Rational most = 0;
  for_each_side(layer.width(), [&](const Side& side) {
    Rational bound = side.s * layer.constant[side.r];
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const Interval weight = first_weight(layer, layer.ranges.at(h));
      const Interval& gate = layer.ranges.at(h).first_gate;
      const Rational value = flag_value(layer.heads[h], side, kBosFlag);
      bound +=
          exact::max(gate.least * weight.least * value, gate.greatest * weight.greatest * value);
    }
    most = exact::max(most, bound);
  });
  return most;
}

namespace {

// The loss of rows of each number of content keys, from the least.
std::vector<Rational> bounds_by_keys(const Layer& layer, Rows rows) {
  std::vector<Rational> bounds;
  const std::vector<Coordinate> coordinates = coordinates_of(layer);
  const ContentKeys count = content_keys(layer, rows);
  for (std::size_t keys = count.least; keys <= count.most; ++keys) {
    const Shape shape(rows, keys);
    std::vector<Shares> shares;
    shares.reserve(layer.heads.size());
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      shares.push_back(shares_of(layer, layer.ranges.at(h), shape));
    }
    Rational& most = bounds.emplace_back(0);
    for (const Coordinate& at : coordinates) {
      most = exact::max(most, row_bound(layer, shares, shape, at));
    }
  }
  return bounds;
}

}  // namespace

Rational layer_row_bound(const Layer& layer, Rows rows) {
  Rational most = rows == Rows::kPre ? first_row_bound(layer) : Rational(0);
  for (const Rational& bound : bounds_by_keys(layer, rows)) most = exact::max(most, bound);
  return most;
}

void require_bound(const Layer& layer, const Bound& bound, const certificate::ByLayerRow& /*by*/) {
  const Rows rows = *bound.rows;
  if (rows == Rows::kPre) {
    require(first_row_bound(layer) <= bound.upper, "row 1", "may lose more");
  }
  std::size_t keys = content_keys(layer, rows).least;
  for (const Rational& proved : bounds_by_keys(layer, rows)) {
    require(proved <= bound.upper, "layer-row",
            "a row with " + std::to_string(keys) + " content keys may lose more");
    ++keys;
  }
}

}  // namespace sinkproof::check
