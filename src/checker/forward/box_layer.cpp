#include "forward/box_layer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "forward/kernel_polynomials.hpp"
#include "forward/pass.hpp"

namespace sinkproof::forward {
namespace {

using certificate::Kernel;
using exact::Integer;
using Whole = exact::Matrix<Integer>;

constexpr unsigned kBits = kBoxPrecision;
constexpr std::uint32_t kMostKinds = kLettersAHead - 1;

// Rows `begin` .. of the map, its bias in the last column, `times` so much.
Whole rows_of(const WholeMap& map, std::size_t begin, std::size_t count, const Integer& times) {
  const std::size_t n = map.weight.columns();
  Whole result(count, n + 1);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < n; ++j) result(i, j) = times * map.weight(begin + i, j);
    result(i, n) = times * map.bias[begin + i];
  }
  return result;
}

// Columns `begin` .. of its weight.
Whole columns_of(const WholeMap& map, std::size_t begin, std::size_t count) {
  Whole result(map.weight.rows(), count);
  for (std::size_t i = 0; i < map.weight.rows(); ++i) {
    for (std::size_t j = 0; j < count; ++j) result(i, j) = map.weight(i, begin + j);
  }
  return result;
}

// Floors, and what they leave.
Polynomials constants(const std::vector<exact::Rational>& values) {
  std::vector<Integer> floors;
  floors.reserve(values.size());
  for (const exact::Rational& value : values) floors.push_back(exact::floor(value * unit(kBits)));
  Polynomials result = constant(floors);
  result.remainder.assign(values.size(), 1);
  return result;
}

// (x, 1), or (x, 0).
Polynomials extended(Polynomials x, bool one) {
  ++x.size;
  for (auto& [monomial, row] : x.terms) row.resize(x.size);
  x.remainder.resize(x.size);
  if (one) x[{}].back() = unit(kBits);
  return x;
}

// The coefficients of the monomial 1.
Polynomials middle(const Polynomials& x) {
  const auto found = x.terms.find({});
  return found == x.terms.end() ? Polynomials(x.size) : constant(found->second);
}

// So many keys as a single one, among the row's others, whose letters are told from those of
// other classes by a shift. Precondition: no others.
Polynomials as_one(const Polynomials& of_key, std::size_t count, std::uint32_t shift) {
  Polynomials result(of_key.size);
  for (const auto& [monomial, row] : of_key.terms) {
    Monomial one{monomial.own, {}, {}};
    if (!monomial.key.empty()) {
      one.others.push_back(monomial.key);
      for (std::uint32_t& letter : one.others.front()) letter += shift;
    }
    auto& sum = result[one];
    for (std::size_t c = 0; c < row.size(); ++c) sum[c] += row[c] * count;
  }
  for (std::size_t c = 0; c < result.size; ++c) result.remainder[c] = of_key.remainder[c] * count;
  return result;
}

// Whether the weights are known so badly that any shares might as well be taken.
bool is_wide(const std::vector<Polynomials>& weights, const Counts& counts) {
  Integer open = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) open += weights[k].remainder[0] * counts[k];
  return 2 * open > unit(kBits);
}

class SeenLayer {
 public:
  SeenLayer(const AttentionBlock& block, const std::vector<BoxLayer::Maps>& maps, View view)
      : block_(block), view_(std::move(view)) {
    const Polynomials& bos = view_.bos != nullptr ? *view_.bos : *view_.row;
    for (const BoxLayer::Maps& of : maps) {
      Head head{Polynomials(bos.size), {}, {}};
      if (shares()) head.bos_value = apply(of.value, bos, 0, kBits);
      add_kinds(of, bos, head);
      head.gate = gate_of(of);
      heads_.push_back(std::move(head));
    }
  }

  [[nodiscard]] Polynomials output(const Counts& counts, const BoxLayer::Told& told) const {
    Polynomials sum = constants(block_.output.bias);
    if (block_.residual) add(sum, *view_.row, 1);
    Counts of_kinds = counts;
    if (view_.bos != nullptr) of_kinds.insert(of_kinds.begin(), 1);
    of_kinds.push_back(1);
    std::vector<Polynomials> by_class(counts.size(), Polynomials(sum.size));
    for (std::size_t h = 0; h < heads_.size(); ++h) add_head(h, of_kinds, told, sum, by_class);
    for (std::size_t g = 0; g < counts.size(); ++g) {
      if (counts[g] != 0) add(sum, of_class(by_class[g], g, counts[g]), 1);
    }
    return substituted(sum, letters_, view_.degree, view_.kept_after(), kBits);
  }

 private:
  // A kind of key in a head: BOS (unless the row is), the classes, at last the row itself.
  struct Kind {
    Polynomials logit;
    Polynomials value;  // less BOS's where weights are shares
    LiftedKeys lifted;
    std::optional<Polynomials> product;  // of ReLU: what weights have to be divided, times value
  };
  struct Head {
    Polynomials bos_value;  // zero unless weights are shares
    Polynomials gate;
    std::vector<Kind> kinds;
  };

  // Weights are shares that sum to one: the output is y + sum of weight (value - y), y BOS's value.
  [[nodiscard]] bool shares() const { return block_.kind.normalised && !block_.kind.null_slot; }

  // Kernels that are polynomials in letters for logits.
  [[nodiscard]] bool is_lifted() const {
    return block_.kind.kernel == Kernel::kExp || block_.kind.kernel == Kernel::kSigmoid;
  }

  void add_kinds(const BoxLayer::Maps& maps, const Polynomials& bos, Head& head) {
    // Where weights are shares of exp, only differences of logits count.
    const bool relative = block_.kind.is_relative() && shares();
    const Polynomials reference = view_.kept != 0 ? middle(view_.classes.front().row) : bos;
    const Polynomials query = apply(maps.query, *view_.row, view_.kept, kBits);
    const auto add_kind = [&](const Polynomials& from, const Polynomials& key, std::size_t others,
                              bool of_key) {
      Polynomials row = extended(key, !relative);
      if (relative) add(row, extended(reference, false), -1);
      Kind kind;
      kind.logit = inner(from, row, std::max<std::size_t>(2, view_.degree), others, kBits);
      kind.value = apply(maps.value, key, others, kBits);
      if (shares()) add(kind.value, head.bos_value, -1);
      kind.lifted =
          lifted(static_cast<std::uint32_t>(head.kinds.size()), of_key, kind.logit, others);
      // Where a score's sign is open, and mostly negative, weight and value are bounded together.
      const Range& at = kind.lifted.logit;
      if (block_.kind.kernel == Kernel::kRelu && view_.kept == 0 && at.upper > 0 &&
          at.upper <= -at.lower) {
        const bool sharply = view_.rows == certificate::Rows::kPre;
        kind.product = rectified_products(kind.logit, at.upper, kind.value, others, sharply, kBits);
      }
      head.kinds.push_back(std::move(kind));
    };
    if (view_.bos != nullptr) add_kind(query, bos, view_.kept, false);
    const bool knows_keys = view_.kept != 0;
    const Polynomials of_key = knows_keys ? seen_from_key(query, view_.kept - 1) : query;
    for (const Keys& keys : view_.classes) {
      add_kind(of_key, keys.row, knows_keys ? view_.kept - 1 : keys.others, true);
    }
    add_kind(query, *view_.row, view_.kept, false);
  }

  // The logit's range, and a letter for it where kernels have one. `place`: of the letter among
  // those of the head.
  LiftedKeys lifted(std::uint32_t place, bool of_key, const Polynomials& logit,
                    std::size_t others) {
    const Range at = range(logit, 0, others);
    const Integer centre = floor_div(at.lower + at.upper, 2);
    const Integer radius = std::max(Integer(1), Integer(at.upper - centre));
    Monomial name;
    if (is_lifted()) {
      const auto head = static_cast<std::uint32_t>(heads_.size());
      const std::uint32_t letter = view_.letter + head * kLettersAHead + place;
      const exact::ScaledMatrix map{Whole(1, 2, {unit(kBits), -centre}), radius};
      letters_.push_back({letter, of_key, apply(map, logit, others, kBits)});
      (of_key ? name.key : name.own).push_back(letter);
    }
    return {centre, radius, name, 1, others, at};
  }

  // 1 where there is no gate; an interval, or a polynomial in a letter for its logit.
  Polynomials gate_of(const BoxLayer::Maps& maps) {
    if (!block_.kind.gated) return constant({unit(kBits)});
    const Polynomials x = apply(maps.gate, *view_.row, view_.kept, kBits);
    if (view_.degree == 0) return interval(logistic(range(x, 0, view_.kept), kBits));
    return logistic_polynomial(lifted(kMostKinds, false, x, view_.kept), view_.degree, kBits);
  }

  // Of a row of so many keys of each kind: what BOS and the row itself add to the sum, and what one
  // key of each class adds.
  void add_head(std::size_t number, const Counts& counts, const BoxLayer::Told& told,
                Polynomials& sum, std::vector<Polynomials>& by_class) const {
    const Head& head = heads_[number];
    std::vector<Range> logits;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      logits.insert(logits.end(), counts[k], head.kinds[k].lifted.logit);
    }
    const Weights weights =
        weights_of(block_.kind, logits, sink_logit(block_, number, kBits), kBits);
    told(number, weights);
    const auto gated = [&](const Polynomials& x) {
      return scaled(head.gate, x, view_.degree, 0, kBits);
    };
    add(sum, gated(head.bos_value), 1);
    std::vector<Polynomials> known = weight_polynomials(number, counts, weights);
    if (shares() && is_wide(known, counts)) {
      // Any shares of the values.
      std::vector<Range> values(sum.size, Range{0, 0});
      for (const Kind& kind : head.kinds) {
        for (std::size_t c = 0; c < sum.size; ++c) {
          values[c] = hull(values[c], range(kind.value, c, kind.lifted.others));
        }
      }
      add(sum, gated(intervals(values)), 1);
      return;
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] == 0) continue;
      const bool is_class = k > 0 && k + 1 < counts.size();
      add(is_class ? by_class[k - 1] : sum,
          contribution(head.kinds[k], std::move(known[k]), head.gate, logits.size()), 1);
    }
  }

  // What a key of each kind is weighed with, where the kernel is not affine in parts: an interval,
  // or the polynomial where that is known better.
  [[nodiscard]] std::vector<Polynomials> weight_polynomials(std::size_t number,
                                                            const Counts& counts,
                                                            const Weights& weights) const {
    std::vector<Polynomials> result;
    std::size_t next = 0;
    for (const std::size_t count : counts) {
      result.push_back(count == 0 ? constant({0}) : interval(weights.keys[next]));
      next += count;
    }
    if (!is_lifted() || view_.degree == 0) return result;
    LiftedRow row{{}, {}, view_.kept, view_.degree};
    for (std::size_t k = 0; k < counts.size(); ++k) {
      row.keys.push_back(heads_[number].kinds[k].lifted);
      row.keys.back().count = counts[k];
    }
    if (block_.kind.null_slot) row.null = sink_logit(block_, number, kBits);
    auto known = lifted_weights(block_.kind, row, kBits);
    for (std::size_t k = 0; known && k < counts.size(); ++k) {
      if (counts[k] != 0 && (*known)[k].remainder[0] < result[k].remainder[0]) {
        result[k] = std::move((*known)[k]);
      }
    }
    return result;
  }

  // A key's weight times its value, in a row of `keys` keys; `weight` is that of kernels which are
  // not affine in parts.
  [[nodiscard]] Polynomials contribution(const Kind& key, Polynomials weight,
                                         const Polynomials& gate, std::size_t keys) const {
    const Integer divisor = std::max<std::size_t>(1, keys - 1);
    const std::size_t others = key.lifted.others;
    if (key.product) return divided(*key.product, divisor, others);
    if (block_.kind.kernel == Kernel::kLinear) {
      weight = divided(key.logit, divisor, others);
    } else if (block_.kind.kernel == Kernel::kRelu) {
      weight = divided(rectified(key.logit, key.lifted.logit, others, kBits), divisor, others);
    } else if (block_.kind.gated) {
      weight = scaled(gate, weight, view_.degree, others, kBits);
    }
    return scaled(weight, key.value, view_.degree, others, kBits);
  }

  // So many keys of a class together.
  [[nodiscard]] Polynomials of_class(const Polynomials& of_key, std::size_t number,
                                     std::size_t count) const {
    if (view_.kept != 0) return sum_over_keys(of_key, count - 1);
    const std::size_t others = view_.classes[number].others;
    const Polynomials alone =
        without_others(substituted(of_key, letters_, view_.degree, others, kBits), others);
    if (view_.apart == 0) return without_others(sum_over_keys(alone, count - 1), count);
    return as_one(alone, count, static_cast<std::uint32_t>(number + 1) * view_.apart);
  }

  const AttentionBlock& block_;
  View view_;
  std::vector<Head> heads_;
  std::vector<Definition> letters_;  // of logits
};

}  // namespace

BoxLayer::BoxLayer(const AttentionBlock& block) : block_(block) {
  const WholeMap query = whole_map(block.query);
  const WholeMap key = whole_map(block.key);
  const WholeMap value = whole_map(block.value);
  const WholeMap output = whole_map(block.output);
  const WholeMap gate = whole_map(block.gate);
  const Integer scale = boost::multiprecision::numerator(block.scale);
  const Integer divisor = boost::multiprecision::denominator(block.scale);
  const std::size_t width = block.head_width();
  for (std::size_t h = 0; h < block.heads; ++h) {
    const Whole keys = rows_of(key, h * width, width, scale);
    Maps maps;
    maps.query = {exact::transpose(keys) * rows_of(query, h * width, width, 1),
                  divisor << (query.shift + key.shift)};
    maps.value = {columns_of(output, h * width, width) * rows_of(value, h * width, width, 1),
                  unit(output.shift + value.shift)};
    if (block.kind.gated) maps.gate = {rows_of(gate, h, 1, 1), unit(gate.shift)};
    heads_.push_back(std::move(maps));
  }
}

BoxLayer::Output BoxLayer::seen(const View& view) const {
  return [layer = SeenLayer(block_, heads_, view)](const Counts& counts, const Told& told) {
    return layer.output(counts, told);
  };
}

}  // namespace sinkproof::forward
