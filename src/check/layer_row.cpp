// CHECKPOINT_RULES.md, 4.11.
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"
#include "check/shapes.hpp"
#include "check/whole_form.hpp"

namespace sinkproof::check {
namespace {

using certificate::HeadRanges;
using certificate::Interval;
using certificate::QueryRanges;
using exact::abs;
using exact::Rational;

Rational centre_of(const Interval& range) { return (range.least + range.greatest) / 2; }
Rational width_of(const Interval& range) { return (range.greatest - range.least) / 2; }

// (f, m, t) as numbers, with N = m + t.
struct Shape {
  Rows rows;
  std::size_t content;
  Rational m;
  Rational t;
  Rational keys;
};

// p_B, p_C, p_T and the half widths of one head, the same for all coordinates.
struct Shares {
  Rational bos, content, trigger, null = 0;
  Rational denominator;  // Z_least, or N
  Rational bos_width, content_width, trigger_width, null_width = 0;
  Interval gate;
};

Shares shares_of(const Layer& layer, const HeadRanges& head, const Shape& shape) {
  const QueryRanges& range = ranges_of(head, shape.rows);
  const Interval& bos = range.bos.kernel;
  const Interval& content = range.content.kernel;
  const Interval& trigger = range.trigger.kernel;
  const Interval null = null_kernel(range);
  Shares shares;
  shares.gate = range.gate;
  shares.bos_width = width_of(bos);
  shares.content_width = width_of(content);
  shares.trigger_width = shape.t * width_of(trigger);
  Rational total = shape.keys;
  shares.denominator = shape.keys;
  if (layer.kind.normalised) {
    total = centre_of(null) + centre_of(bos) + shape.m * centre_of(content) +
            shape.t * centre_of(trigger);
    shares.denominator = null.least + bos.least + shape.m * content.least + shape.t * trigger.least;
    require(shares.denominator > 0 && total > 0, "layer-row", "a row may have no weight at all");
    shares.null = centre_of(null) / total;
    shares.null_width = width_of(null);
  }
  shares.bos = centre_of(bos) / total;
  shares.content = centre_of(content) / total;
  shares.trigger = shape.t * centre_of(trigger) / total;
  return shares;
}

// v_B, v_C, v_T and rho of one head, coordinate and sign.
struct Values {
  Rational bos, content, trigger;
  Rational swing;
};

// What rows of all shapes have in common at one coordinate.
struct Coordinate {
  std::size_t r;
  std::vector<NoiseRow> noise;  // of V_h, one for each head
  NoiseRow own;                 // X[r][r] at coordinate r of the noise
};

std::vector<Coordinate> coordinates_of(const Layer& layer) {
  std::vector<Coordinate> result;
  for (std::size_t r = 0; r < layer.width(); ++r) {
    std::vector<NoiseRow> noise;
    for (const Head& head : layer.heads) noise.push_back(noise_values(head, {r, 1}));
    result.push_back({r, std::move(noise), noise_radius(layer.heads.front(), r)});
  }
  return result;
}

Rational normalised_deviation(const Shares& p, const Values& v, const Shape& shape) {
  const Rational& rho = v.swing;
  const bool odd = shape.content % 2 == 1;
  const Rational spread = odd ? Rational(rho * (1 - 1 / (shape.m * shape.m))) : rho;
  const Rational content_trigger = abs(v.content - v.trigger) + 2 * rho;
  const Rational content_bos = abs(v.content - v.bos) + rho;
  const Rational trigger_bos = abs(v.trigger - v.bos) + rho;
  const Rational off_content =
      spread + p.trigger * content_trigger + p.bos * content_bos + p.null * (abs(v.content) + rho);
  const Rational off_trigger =
      shape.m * p.content * content_trigger + p.bos * trigger_bos + p.null * (abs(v.trigger) + rho);
  const Rational off_bos =
      shape.m * p.content * content_bos + p.trigger * trigger_bos + p.null * abs(v.bos);
  const Rational off_null = shape.m * p.content * (abs(v.content) + rho) +
                            p.trigger * (abs(v.trigger) + rho) + p.bos * abs(v.bos);
  return (shape.m * p.content_width * off_content + p.trigger_width * off_trigger +
          p.bos_width * off_bos + p.null_width * off_null) /
         p.denominator;
}

Rational slack_of(const Layer& layer, const Shares& p, const Values& v, const Shape& shape) {
  const Rational content = abs(v.content) + v.swing;
  const Rational trigger = abs(v.trigger) + v.swing;
  const Rational deviation = layer.kind.normalised
                                 ? normalised_deviation(p, v, shape)
                                 : Rational((shape.m * p.content_width * content +
                                             p.trigger_width * trigger + p.bos_width * abs(v.bos)) /
                                            p.denominator);
  const Rational size =
      abs(p.bos * v.bos) + shape.m * abs(p.content) * content + abs(p.trigger) * trigger;
  return p.gate.greatest * deviation + width_of(p.gate) * size;
}

// The target without noise.
Rational target_flag(const Head& head, const Shape& shape, std::size_t r) {
  if (shape.rows != Rows::kTrigger) return 0;
  return (shape.m * head.token(r, head.content_flag()) + head.token(r, kTriggerFlag)) / shape.keys;
}

// m swing_C + t swing_T: of either sign.
Rational swings(const Layer& layer, const std::vector<Shares>& shares, const Shape& shape,
                const Coordinate& at) {
  AffineForm content;
  AffineForm trigger;
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const Rational gate = centre_of(shares[h].gate);
    content.add(gate * shares[h].content, at.noise[h].row());
    trigger.add(gate * shares[h].trigger, at.noise[h].row());
  }
  if (shape.rows == Rows::kTrigger) {
    content.add(-1 / shape.keys, at.own.row());
    trigger.add(-1 / shape.keys, at.own.row());
  }
  return shape.m * swing_of(content, layer.noise()) + shape.t * swing_of(trigger, layer.noise());
}

// E of the page without swings, for one shape, coordinate and sign.
Rational row_bound(const Layer& layer, const std::vector<Shares>& shares, const Shape& shape,
                   const Coordinate& at, int s) {
  Rational bound = s * (layer.constant[at.r] - target_flag(layer.heads.front(), shape, at.r));
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const Side side{at.r, s};
    const Head& head = layer.heads[h];
    const Shares& p = shares[h];
    const Values v{flag_value(head, side, kBosFlag), flag_value(head, side, head.content_flag()),
                   flag_value(head, side, kTriggerFlag), at.noise[h].sum()};
    bound += centre_of(p.gate) *
             (p.bos * v.bos + shape.m * p.content * v.content + p.trigger * v.trigger);
    bound += slack_of(layer, p, v, shape);
  }
  return bound;
}

// The weight of BOS in row 1 of one head.
Interval first_weight(const Layer& layer, const HeadRanges& head) {
  const Interval& kernel = head.first;
  if (!layer.kind.normalised) return kernel;
  if (!layer.kind.null_slot) return {1, 1};
  return {kernel.least / (1 + kernel.least), kernel.greatest / (1 + kernel.greatest)};
}

}  // namespace

void require_first_row(const Layer& layer, const std::vector<HeadRanges>& ranges,
                       const Rational& upper) {
  for (std::size_t r = 0; r < layer.width(); ++r) {
    for (const int s : {1, -1}) {
      Rational bound = s * layer.constant[r];
      for (std::size_t h = 0; h < layer.heads.size(); ++h) {
        const Interval weight = first_weight(layer, ranges[h]);
        const Interval& gate = ranges[h].first_gate;
        const Rational value = s * layer.heads[h].value(r, kBosFlag);
        bound +=
            exact::max(gate.least * weight.least * value, gate.greatest * weight.greatest * value);
      }
      require(bound <= upper, "row 1", "may lose more");
    }
  }
}

void rule_layer_row(const Layer& layer, const std::vector<HeadRanges>& ranges, Rows rows,
                    const Rational& upper) {
  if (rows == Rows::kPre) require_first_row(layer, ranges, upper);
  const std::vector<Coordinate> coordinates = coordinates_of(layer);
  const ContentKeys count = content_keys(layer, rows);
  for (std::size_t keys = count.least; keys <= count.most; ++keys) {
    const std::size_t triggers = rows == Rows::kPre ? 0 : 1;
    const Shape shape{rows, keys, Rational(keys), Rational(triggers), Rational(keys + triggers)};
    std::vector<Shares> shares;
    shares.reserve(ranges.size());
    for (const HeadRanges& head : ranges) shares.push_back(shares_of(layer, head, shape));
    for (const Coordinate& at : coordinates) {
      const Rational swing = swings(layer, shares, shape, at);
      for (const int s : {1, -1}) {
        require(row_bound(layer, shares, shape, at, s) + swing <= upper, "layer-row",
                "a row with " + std::to_string(keys) + " content keys may lose more");
      }
    }
  }
}

}  // namespace sinkproof::check
