#include "forward/box_pass.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "certificate/work.hpp"
#include "forward/elementary.hpp"
#include "forward/exponential_shares.hpp"
#include "forward/pass.hpp"
#include "forward/polynomial.hpp"
#include "forward/rollout.hpp"
#include "forward/weights.hpp"
#include "forward/whole.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;
using exact::Rational;

constexpr unsigned kBits = kBoxPrecision;

// One head's layer in token coordinates: `query` maps a row to what the inner product with (x_k, 1)
// makes the logit of key x_k.
struct HeadMaps {
  RationalMap query;  // [n + 1, n]
  RationalMap value;  // [n, n]
  RationalMap gate;   // [1, n], or empty
};

// `left` times rows `begin` .. of the map; of left's `denominator`, too.
RationalMap composed(const exact::Matrix<Integer>& left, const WholeMap& map, std::size_t begin,
                     const Integer& denominator) {
  const std::size_t n = map.weight.columns();
  RationalMap result{exact::Matrix<Integer>(left.rows(), n), std::vector<Integer>(left.rows()),
                     denominator << map.shift};
  for (std::size_t i = 0; i < left.rows(); ++i) {
    for (std::size_t c = 0; c < left.columns(); ++c) {
      for (std::size_t j = 0; j < n; ++j) {
        add_product(result.weight(i, j), left(i, c), map.weight(begin + c, j));
      }
      add_product(result.bias[i], left(i, c), map.bias[begin + c]);
    }
  }
  return result;
}

// w^T (q x + b), and b' (q x + b) in the last row, of the head's rows (w, b') of the key map and
// (q, b) of the query map.
RationalMap query_map(const AttentionBlock& block, std::size_t head) {
  const std::size_t begin = head * block.head_width();
  const WholeMap key = whole_map(block.key);
  const Integer scale = boost::multiprecision::numerator(block.scale);
  const std::size_t n = key.weight.columns();
  exact::Matrix<Integer> left(n + 1, block.head_width());
  for (std::size_t c = 0; c < left.columns(); ++c) {
    for (std::size_t i = 0; i < n; ++i) left(i, c) = scale * key.weight(begin + c, i);
    left(n, c) = scale * key.bias[begin + c];
  }
  const Integer denominator = boost::multiprecision::denominator(block.scale);
  return composed(left, whole_map(block.query), begin, denominator << key.shift);
}

RationalMap value_map(const AttentionBlock& block, std::size_t head) {
  const std::size_t begin = head * block.head_width();
  const WholeMap output = whole_map(block.output);
  exact::Matrix<Integer> left(output.weight.rows(), block.head_width());
  for (std::size_t i = 0; i < left.rows(); ++i) {
    for (std::size_t c = 0; c < left.columns(); ++c) left(i, c) = output.weight(i, begin + c);
  }
  return composed(left, whole_map(block.value), begin, unit(output.shift));
}

RationalMap gate_map(const AttentionBlock& block, std::size_t head) {
  if (!block.kind.gated) return {};
  return composed(exact::Matrix<Integer>(1, 1, {1}), whole_map(block.gate), head, 1);
}

Polynomials constants(const std::vector<Rational>& values) {
  std::vector<Integer> floors;
  floors.reserve(values.size());
  for (const Rational& value : values) {
    floors.push_back(exact::floor(value * (unit(kBits))));
  }
  Polynomials result = constant(floors);
  result.remainder.assign(values.size(), 1);
  return result;
}

// Coordinate c becomes an interval.
void put(Polynomials& x, std::size_t c, const Range& range) {
  const Polynomials one = interval(range);
  x[{}][c] = one.terms.at({})[0];
  x.remainder[c] = one.remainder[0];
}

// The token of a flag with its own noise, which lies in the box.
Polynomials token(std::size_t n, std::size_t flag, const certificate::Box& box) {
  const Integer one = unit(kBits);
  Polynomials result(n);
  result[{}][flag] = one;
  for (std::size_t c = certificate::kNoise; c + 1 < n; ++c) {
    const auto put_part = [&](const Monomial& monomial, const Rational& part) {
      Integer& units = result[monomial][c];
      units = exact::floor(part * one);
      if (units != part * one) ++result.remainder[c];
    };
    put_part({}, box.centre(c - certificate::kNoise));
    put_part({{static_cast<std::uint32_t>(c)}, {}, {}}, box.radius(c - certificate::kNoise));
  }
  return result;
}

// (x, 1), or (x, 0).
Polynomials extended(const Polynomials& x, bool one) {
  Polynomials result(x.size + 1);
  for (const auto& [monomial, row] : x.terms) {
    std::copy(row.begin(), row.end(), result[monomial].begin());
  }
  std::copy(x.remainder.begin(), x.remainder.end(), result.remainder.begin());
  if (one) result[{}].back() = unit(kBits);
  return result;
}

bool is_small(const Polynomials& x, std::size_t keys) {
  const auto all_small = [](const std::vector<Integer>& row) {
    return std::all_of(row.begin(), row.end(),
                       [](const Integer& n) { return forward::is_small(n, kBits); });
  };
  return all_small(x.remainder) &&
         std::all_of(x.terms.begin(), x.terms.end(), [&](const auto& term) {
           return instances(term.first, keys) == 0 || all_small(term.second);
         });
}

// What the rows of a class see beside BOS and themselves: a class of keys, each of them `row` in
// its own noise, and in that of `others` further keys the row does not know.
struct Keys {
  Polynomials row;  // as_key
  std::size_t others = 0;
};

// The rows of a class, all of one polynomial, and what they see.
struct View {
  const Polynomials* row;
  const Polynomials* bos;  // none: the row is BOS
  std::vector<Keys> classes;
  std::size_t kept;    // the row's others are so many keys of the one class; 0: it has none
  std::size_t degree;  // of its polynomials
  certificate::Rows rows;
  std::uint32_t letter;  // the first that stands for a logit here
  bool refined;
  // Of the last layer, refined: the keys' letters become those of the first kind's by so many times
  // the kind's number, and each class one key. 0: they go into the remainder.
  std::uint32_t apart;
};

// How many keys of each class a row sees.
using Counts = std::vector<std::size_t>;

// A class of keys in a head. The first is BOS (unless the row is), the last the row itself.
struct Scored {
  Polynomials logit;
  Range range;        // of the logit
  Polynomials value;  // less BOS's where weights are shares
  std::size_t others;
  std::optional<Polynomials> product;  // of ReLU: what weights have to be divided, times value
  LiftedKeys lifted;                   // of exp
};

// Letters below n are noise coordinates; those of logits follow, by head and kind of key: BOS,
// three classes, the row itself.
constexpr std::size_t kMostKinds = 5;
// And, where gates have one, that of the gate.
std::size_t letters_a_head(bool refined) { return refined ? kMostKinds + 1 : kMostKinds; }

Integer upper_end(const Polynomials& x, std::size_t c, std::size_t keys) {
  return range(x, c, keys).upper;
}

// max(0, x) as a polynomial of its argument x in [at.lower, at.upper].
Polynomials rectified(const Polynomials& x, const Range& at, std::size_t keys) {
  if (at.upper <= 0) return constant({0});
  if (at.lower >= 0) return x;
  if (at.upper <= -at.lower) return interval({0, at.upper});
  // u x/(u - l) <= max(0, x) <= u (x - l)/(u - l).
  const Integer width = at.upper - at.lower;
  const RationalMap chord{exact::Matrix<Integer>(1, 1, {at.upper}), {0}, width};
  Polynomials result = apply(chord, x, keys, kBits);
  const Integer gap = ceil_div(-at.lower * at.upper, width);
  add(result, interval({0, gap}), 1);
  return result;
}

// How large max(0, x) y may be, x <= `most`, y coordinate c of `value` times `sign`: for every t >
// 0 at most max(0, t x + y/t)^2/4, as a product is at most a quarter of the square of a sum.
Integer rectified_product(const Polynomials& x, const Integer& most, const Polynomials& value,
                          std::size_t c, int sign, std::size_t keys, bool sharply) {
  Polynomials y(1);
  for (const auto& [monomial, row] : value.terms) y[monomial][0] = sign * row[c];
  y.remainder[0] = value.remainder[c];
  const Integer reach = upper_end(y, 0, keys);
  if (reach <= 0) return 0;
  Integer plain = ceil_shift(most * reach, kBits);
  if (!sharply) return plain;
  // t = s/2^16, near the square root of reach/most.
  constexpr unsigned kScaleBits = 16;
  const Integer s = boost::multiprecision::sqrt(Integer((reach << (2 * kScaleBits)) / most));
  if (s == 0) return plain;
  const Integer one = Integer(1) << kScaleBits;
  Polynomials sum = apply({exact::Matrix<Integer>(1, 1, {s}), {0}, one}, x, keys, kBits);
  add(sum, apply({exact::Matrix<Integer>(1, 1, {one}), {0}, s}, y, keys, kBits), 1);
  const Integer root = std::max(Integer(0), upper_end(sum, 0, keys));
  return std::min(plain, Integer(ceil_shift(root * root, kBits) / 4 + 1));
}

// max(0, x) times each coordinate of `value` as intervals, x <= `most`.
Polynomials rectified_products(const Polynomials& x, const Integer& most, const Polynomials& value,
                               std::size_t keys, bool sharply) {
  Polynomials result(value.size);
  for (std::size_t c = 0; c < value.size; ++c) {
    const Integer above = rectified_product(x, most, value, c, 1, keys, sharply);
    const Integer below = rectified_product(x, most, value, c, -1, keys, sharply);
    put(result, c, {-below, above});
  }
  return result;
}

class Layer {
 public:
  explicit Layer(const AttentionBlock& block) : block_(block) {
    for (std::size_t h = 0; h < block.heads; ++h) {
      heads_.push_back({query_map(block, h), value_map(block, h), gate_map(block, h)});
    }
  }

  // A view in all heads.
  struct Seen {
    const View* view;
    std::vector<std::vector<Scored>> heads;
    std::vector<Definition> letters;      // of logits
    std::vector<Polynomials> gates;       // intervals
    std::vector<Polynomials> bos_values;  // zero unless weights are shares
  };

  [[nodiscard]] Seen seen(const View& view) const {
    Seen result{&view, {}, {}, {}, {}};
    for (const HeadMaps& maps : heads_) {
      const Polynomials bos =
          apply(maps.value, view.bos != nullptr ? *view.bos : *view.row, 0, kBits);
      result.bos_values.push_back(shares() ? bos : Polynomials(bos.size));
      const std::size_t head = result.heads.size();
      result.heads.push_back(scored(maps, view, result.bos_values.back()));
      if (is_exponential() || is_logistic(view)) lift(head, view, result);
      result.gates.push_back(opening(maps, head, view, result.letters));
    }
    return result;
  }

  // The layer's output at a row; `told` is called with each head's weights.
  template <typename Told>
  [[nodiscard]] Polynomials output(const Seen& seen, const Counts& counts, const Told& told) const {
    const View& view = *seen.view;
    Polynomials sum = constants(block_.output.bias);
    if (block_.residual) add(sum, *view.row, 1);
    std::vector<Polynomials> by_class(view.classes.size(), Polynomials(sum.size));
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      const std::vector<Scored>& keys = seen.heads[h];
      std::vector<std::size_t> kinds = counts;  // how many keys of each there are
      if (view.bos != nullptr) kinds.insert(kinds.begin(), 1);
      kinds.push_back(1);
      std::vector<Range> ranges;
      for (std::size_t k = 0; k < keys.size(); ++k) {
        ranges.insert(ranges.end(), kinds[k], keys[k].range);
      }
      const Weights weights = weights_of(block_.kind, ranges, sink_logit(block_, h, kBits), kBits);
      if (view.bos != nullptr) told(h, weights);
      add(sum, scaled(seen.gates[h], seen.bos_values[h], view.degree, 0, kBits), 1);
      const std::vector<Polynomials> weight = weight_polynomials(seen, h, kinds, weights);
      if (shares() && is_wide(weight, kinds)) {
        add(sum, scaled(seen.gates[h], hull(keys), view.degree, 0, kBits), 1);
        continue;
      }
      for (std::size_t k = 0; k < keys.size(); ++k) {
        if (kinds[k] == 0) continue;
        const bool is_class = k + 1 < keys.size() && (view.bos == nullptr || k > 0);
        add(is_class ? by_class[k - 1] : sum,
            contribution(keys[k], weight[k], seen.gates[h], view.degree, ranges.size()), 1);
      }
    }
    for (std::size_t g = 0; g < by_class.size(); ++g) {
      if (counts[g] == 0) continue;
      const std::size_t others = view.classes[g].others;
      if (view.kept == 0) {
        by_class[g] = without_others(
            substituted(by_class[g], seen.letters, view.degree, others, kBits), others);
      }
      if (view.apart != 0) {
        add(sum, as_one(by_class[g], counts[g], static_cast<std::uint32_t>(g + 1) * view.apart), 1);
        continue;
      }
      const Polynomials all = sum_over_keys(by_class[g], counts[g] - 1);
      add(sum, view.kept != 0 ? all : without_others(all, counts[g]), 1);
    }
    return substituted(sum, seen.letters, view.degree, kept_of(view), kBits);
  }

  // How many keys the others of its output may be.
  static std::size_t kept_of(const View& view) { return view.apart != 0 ? 1 : view.kept; }

 private:
  // Weights are shares that sum to one: the output is y + sum of weight (value - y), y BOS's value.
  [[nodiscard]] bool shares() const { return block_.kind.normalised && !block_.kind.null_slot; }

  [[nodiscard]] std::vector<Scored> scored(const HeadMaps& maps, const View& view,
                                           const Polynomials& bos_value) const {
    // Where weights are shares of exp, only differences of logits count.
    const bool relative = block_.kind.is_relative() && shares();
    const Polynomials& bos = view.bos != nullptr ? *view.bos : *view.row;
    const Polynomials reference =
        view.refined && view.kept != 0 ? middle(view.classes.front().row) : bos;
    const Polynomials query = apply(maps.query, *view.row, view.kept, kBits);
    const Polynomials of_key = view.kept != 0 ? seen_from_key(query, view.kept - 1) : query;
    std::vector<Scored> result;
    const auto add_key = [&](const Polynomials& from, const Polynomials& key, std::size_t others) {
      Polynomials row = extended(key, !relative);
      if (relative) add(row, extended(reference, false), -1);
      Scored made{inner(from, row, std::max<std::size_t>(2, view.degree), others, kBits),
                  {},
                  apply(maps.value, key, others, kBits),
                  others,
                  {},
                  {}};
      made.range = range(made.logit, 0, others);
      if (shares()) add(made.value, bos_value, -1);
      result.push_back(std::move(made));
    };
    if (view.bos != nullptr) add_key(query, bos, view.kept);
    for (const Keys& keys : view.classes) {
      add_key(of_key, keys.row, view.kept != 0 ? view.kept - 1 : keys.others);
    }
    add_key(query, *view.row, view.kept);
    if (block_.kind.kernel == certificate::Kernel::kRelu && view.kept == 0) {
      for (Scored& key : result) add_product(key, view.rows == certificate::Rows::kPre);
    }
    return result;
  }

  [[nodiscard]] bool is_exponential() const {
    return block_.kind.kernel == certificate::Kernel::kExp && block_.kind.normalised;
  }
  [[nodiscard]] bool is_logistic(const View& view) const {
    return view.refined && block_.kind.kernel == certificate::Kernel::kSigmoid;
  }

  // A letter for a number in `at`, the logit.
  static LiftedKeys letter_of(std::uint32_t letter, bool of_key, const Polynomials& logit,
                              const Range& at, std::size_t others,
                              std::vector<Definition>& letters) {
    const Integer centre = floor_div(at.lower + at.upper, 2);
    const Integer radius = std::max(Integer(1), Integer(at.upper - centre));
    const RationalMap map{exact::Matrix<Integer>(1, 1, {unit(kBits)}), {-centre}, radius};
    letters.push_back({letter, of_key, apply(map, logit, others, kBits)});
    Monomial name;
    (of_key ? name.key : name.own).push_back(letter);
    return {centre, radius, name, 1, others, at};
  }

  // Letters for the logits of a head.
  static void lift(std::size_t head, const View& view, Seen& seen) {
    std::vector<Scored>& keys = seen.heads[head];
    for (std::size_t k = 0; k < keys.size(); ++k) {
      Scored& key = keys[k];
      const bool of_key = k + 1 < keys.size() && (view.bos == nullptr || k > 0);
      const auto letter =
          static_cast<std::uint32_t>(view.letter + head * letters_a_head(view.refined) + k);
      key.lifted = letter_of(letter, of_key, key.logit, key.range, key.others, seen.letters);
    }
  }

  // What a key of each kind is weighed with, where the kernel is not affine in parts: an interval,
  // or the polynomial where that is known better.
  [[nodiscard]] std::vector<Polynomials> weight_polynomials(const Seen& seen, std::size_t head,
                                                            const std::vector<std::size_t>& kinds,
                                                            const Weights& weights) const {
    std::vector<Polynomials> result;
    std::size_t next = 0;
    for (const std::size_t count : kinds) {
      result.push_back(count == 0 ? constant({0}) : interval(weights.keys[next]));
      next += count;
    }
    const View& view = *seen.view;
    if (!(is_exponential() || is_logistic(view)) || view.degree == 0) return result;
    LiftedRow row{{}, {}, view.kept, view.degree, view.refined};
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      row.keys.push_back(seen.heads[head][k].lifted);
      row.keys.back().count = kinds[k];
    }
    if (block_.kind.null_slot) row.null = sink_logit(block_, head, kBits);
    auto shares = is_exponential()         ? exponential_shares(row, kBits)
                  : block_.kind.normalised ? logistic_shares(row, kBits)
                                           : logistic_weights(row, kinds);
    if (!shares) return result;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (kinds[k] != 0 && (*shares)[k].remainder[0] < result[k].remainder[0]) {
        result[k] = std::move((*shares)[k]);
      }
    }
    return result;
  }

  // Where a score's sign is open, and mostly negative, weight and value are bounded together.
  static void add_product(Scored& key, bool sharply) {
    if (key.range.upper <= 0 || key.range.upper > -key.range.lower) return;
    key.product = rectified_products(key.logit, key.range.upper, key.value, key.others, sharply);
  }

  // The logistic function of each logit, over how many other keys there are.
  static std::optional<std::vector<Polynomials>> logistic_weights(
      const LiftedRow& row, const std::vector<std::size_t>& kinds) {
    const std::size_t keys = std::accumulate(kinds.begin(), kinds.end(), std::size_t{0});
    std::vector<Polynomials> weights;
    for (const LiftedKeys& of : row.keys) {
      weights.push_back(divided(logistic_polynomial(of, row.degree, kBits),
                                std::max<std::size_t>(1, keys - 1), of.others));
    }
    return weights;
  }

  // The gate, 1 where there is none: an interval, or a polynomial in a letter for its logit.
  [[nodiscard]] Polynomials opening(const HeadMaps& maps, std::size_t head, const View& view,
                                    std::vector<Definition>& letters) const {
    if (!block_.kind.gated) return constant({unit(kBits)});
    const Polynomials x = apply(maps.gate, *view.row, view.kept, kBits);
    const Range at = range(x, 0, view.kept);
    if (!view.refined || view.degree == 0) return interval(logistic(at, kBits));
    const auto letter =
        static_cast<std::uint32_t>(view.letter + head * letters_a_head(true) + kMostKinds);
    return logistic_polynomial(letter_of(letter, false, x, at, view.kept, letters), view.degree,
                               kBits);
  }

  // The coefficients of the monomial 1.
  static Polynomials middle(const Polynomials& x) {
    const auto found = x.terms.find({});
    return found == x.terms.end() ? Polynomials(x.size) : constant(found->second);
  }

  // So many keys as a single one, among the row's others, whose letters are told from those of
  // other classes by a shift. Precondition: no others.
  static Polynomials as_one(const Polynomials& of_key, std::size_t count, std::uint32_t shift) {
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
    for (std::size_t c = 0; c < result.size; ++c) {
      result.remainder[c] = of_key.remainder[c] * count;
    }
    return result;
  }

  // Whether the weights are known so badly that any shares might as well be taken.
  static bool is_wide(const std::vector<Polynomials>& weights,
                      const std::vector<std::size_t>& kinds) {
    Integer open = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) open += weights[k].remainder[0] * kinds[k];
    return 2 * open > unit(kBits);
  }

  // Any shares of the values.
  static Polynomials hull(const std::vector<Scored>& keys) {
    Polynomials result(keys.front().value.size);
    for (std::size_t c = 0; c < result.size; ++c) {
      Range all{0, 0};
      for (const Scored& key : keys) {
        const Range one = range(key.value, c, key.others);
        all = {std::min(all.lower, one.lower), std::max(all.upper, one.upper)};
      }
      put(result, c, all);
    }
    return result;
  }

  // A key's weight times its value, in a row of `keys` keys; `weight` is that of kernels which are
  // not affine in parts.
  [[nodiscard]] Polynomials contribution(const Scored& key, Polynomials weight,
                                         const Polynomials& gate, std::size_t degree,
                                         std::size_t keys) const {
    const Integer divisor = std::max<std::size_t>(1, keys - 1);
    if (key.product) return divided(*key.product, divisor, key.others);
    if (block_.kind.kernel == certificate::Kernel::kLinear) {
      weight = divided(key.logit, divisor, key.others);
    } else if (block_.kind.kernel == certificate::Kernel::kRelu) {
      weight = divided(rectified(key.logit, key.range, key.others), divisor, key.others);
    } else if (block_.kind.gated) {
      weight = scaled(gate, weight, degree, key.others, kBits);
    }
    return scaled(weight, key.value, degree, key.others, kBits);
  }

  const AttentionBlock& block_;
  std::vector<HeadMaps> heads_;
};

// A class of rows at the entrance of each layer, and after the last.
using Rows = std::vector<Polynomials>;

class BoxPass {
 public:
  BoxPass(const Model& model, const BoxRequest& request) : model_(model), request_(request) {
    for (const AttentionBlock& block : model.blocks) {
      layers_.emplace_back(block);
      bounds_.paid.emplace_back(block.heads);
    }
    if (has_rollout(model)) rollout_.emplace(layers_.size(), request.length, kBits);
  }

  std::optional<BoxBounds> run(const TriggerPositions& positions) {
    for (std::size_t rows = 0; rows <= static_cast<std::size_t>(request_.rows); ++rows) {
      bounds_.loss[rows] = 0;
    }
    if (!follow_bos() || !follow_before()) return std::nullopt;
    if (request_.rows == certificate::Rows::kPre) return std::move(bounds_);
    // What rows before the trigger leave is the same for all its positions.
    const std::size_t first = request_.first_trigger;
    std::vector<std::optional<BoxBounds>> at(request_.last_trigger - first + 1);
    const auto follow = [&](std::size_t j) { at[j - first] = BoxPass(*this).follow_position(j); };
    if (positions) {
      positions(follow);
    } else {
      for (std::size_t j = first; j <= request_.last_trigger; ++j) {
        follow(j);
        if (!at[j - first]) break;
      }
    }
    for (const auto& each : at) {
      if (!each) return std::nullopt;
      include(bounds_, *each);
    }
    return std::move(bounds_);
  }

 private:
  std::optional<BoxBounds> follow_position(std::size_t j) {
    if (!follow_trigger(j)) return std::nullopt;
    if (request_.rows == certificate::Rows::kPost && !follow_after(j)) return std::nullopt;
    return std::move(bounds_);
  }

  // Rows first..last of a class, which all begin with `token`.
  struct Class {
    certificate::Rows rows;
    Polynomials token;
    Polynomials target;
    std::size_t first;
    std::size_t last;
    std::size_t kept;
    std::size_t degree;
  };

  // The layer as the class sees it.
  [[nodiscard]] View view_of(const Class& rows, std::size_t layer, const Polynomials& state,
                             std::vector<Keys> classes) const {
    const bool apart = request_.refined && layer + 1 == layers_.size() && rows.kept == 0;
    return {&state,
            rows.first == 1 ? nullptr : &bos_[layer],
            std::move(classes),
            rows.kept,
            rows.degree,
            rows.rows,
            first_letter(layer, rows.rows),
            request_.refined,
            apart ? end_of_letters() : 0};
  }

  // The class's way through the layers; `classes` says what it sees in layer l, `counts` how many
  // of them row i does. False when a number is too large.
  template <typename Classes, typename CountsOf>
  bool follow(const Class& rows, const Classes& classes, const CountsOf& counts, Rows& states) {
    states = {rows.token};
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const View view = view_of(rows, l, states.back(), classes(l));
      const std::size_t kept = Layer::kept_of(view);
      const auto seen = layers_[l].seen(view);
      std::optional<Polynomials> together;
      for (std::size_t i = rows.first; i <= rows.last; ++i) {
        const auto told = [&](std::size_t h, const Weights& weights) {
          include(bounds_.paid[l][h][index(rows)], {weights.keys.front(), weights.null});
          if (rollout_) note_rollout(l, i, weights, bounds_.rollout[index(rows)]);
        };
        Polynomials out = layers_[l].output(seen, counts(i), told);
        if (!is_small(out, kept)) return false;
        if (l + 1 == layers_.size()) note_loss(out, rows, kept);
        if (together) {
          widen(*together, out, kept);
        } else {
          together = std::move(out);
        }
      }
      states.push_back(*std::move(together));
    }
    return true;
  }

  bool follow_bos() {
    Polynomials start(model_.width);
    start[{}][certificate::kBosFlag] = unit(kBits);
    return follow(
        {certificate::Rows::kPre, start, target(start), 1, 1, 0, 0},
        [](std::size_t) { return no_keys(); }, [](std::size_t) { return Counts{}; }, bos_);
  }

  bool follow_before() {
    const Polynomials start = content_token();
    return follow(
        {certificate::Rows::kPre, start, target(start), 2, request_.last_trigger - 1, 0,
         request_.row_degree},
        [&](std::size_t l) { return keys_of(before_[l]); },
        [](std::size_t i) { return Counts{i - 2}; }, before_);
  }

  bool follow_trigger(std::size_t j) {
    const Polynomials start = token(model_.width, certificate::kTriggerFlag, request_.box);
    Polynomials mean = sum_over_keys(as_key(content_token()), j - 3);
    add(mean, start, 1);
    mean = divided(mean, j - 1, j - 2);
    add(mean, target(start), 1);
    return follow(
        {certificate::Rows::kTrigger, start, mean, j, j, j - 2, request_.degree},
        [&](std::size_t l) { return keys_of(before_[l]); },
        [](std::size_t i) { return Counts{i - 2}; }, trigger_);
  }

  bool follow_after(std::size_t j) {
    if (j == request_.length) return true;
    const Polynomials start = content_token();
    const auto classes = [&](std::size_t l) {
      std::vector<Keys> all = keys_of(before_[l]);
      all.push_back({as_key(trigger_[l]), j - 2});
      all.push_back({as_key(after_[l])});
      return all;
    };
    return follow(
        {certificate::Rows::kPost, start, target(start), j + 1, request_.length, 0,
         request_.row_degree},
        classes,
        [&](std::size_t i) {
          return Counts{j - 2, 1, i - j - 1};
        },
        after_);
  }

  [[nodiscard]] Polynomials content_token() const {
    return token(model_.width, model_.width - 1, request_.box);
  }
  static std::vector<Keys> no_keys() { return {}; }
  static std::vector<Keys> keys_of(const Polynomials& row) { return {{as_key(row)}}; }

  // What a row without a task is to be: its token, with residual connections; else zero.
  [[nodiscard]] Polynomials target(const Polynomials& token) const {
    return model_.blocks.front().residual ? token : Polynomials(token.size);
  }

  // Letters below n are noise coordinates; those of logits follow, by layer, class of rows, head
  // and kind of key.
  [[nodiscard]] std::uint32_t first_letter(std::size_t layer, certificate::Rows rows) const {
    const std::size_t place = BoxBounds::kClasses * layer + static_cast<std::size_t>(rows);
    return static_cast<std::uint32_t>(model_.width + place * model_.blocks.front().heads *
                                                         letters_a_head(request_.refined));
  }
  [[nodiscard]] std::uint32_t end_of_letters() const {
    return first_letter(layers_.size(), certificate::Rows::kPre);
  }

  static std::size_t index(const Class& rows) { return static_cast<std::size_t>(rows.rows); }

  static void include(Range& all, const Range& one) {
    all = {std::min(all.lower, one.lower), std::max(all.upper, one.upper)};
  }

  static void include(std::optional<BoxBounds::Paid>& all, const BoxBounds::Paid& one) {
    if (!all) all = one;
    include(all->bos, one.bos);
    include(all->null, one.null);
  }
  static void include(std::optional<Range>& all, const Range& one) {
    if (!all) all = one;
    include(*all, one);
  }

  // The bounds of some positions of the trigger, and of another one.
  static void include(BoxBounds& all, const BoxBounds& one) {
    for (std::size_t rows = 0; rows < BoxBounds::kClasses; ++rows) {
      if (one.loss[rows]) all.loss[rows] = std::max(*all.loss[rows], *one.loss[rows]);
      if (one.rollout[rows]) include(all.rollout[rows], *one.rollout[rows]);
      for (std::size_t l = 0; l < one.paid.size(); ++l) {
        for (std::size_t h = 0; h < one.paid[l].size(); ++h) {
          const auto& paid = one.paid[l][h][rows];
          if (paid) include(all.paid[l][h][rows], *paid);
        }
      }
    }
  }

  // Keys are listed as they stand in the sequence, so that a weight is that of its position.
  void note_rollout(std::size_t layer, std::size_t i, const Weights& weights,
                    std::optional<Range>& all) {
    const Range& arrives = rollout_->follow(layer, i, weights.keys);
    if (layer + 1 == layers_.size()) include(all, arrives);
  }

  void note_loss(const Polynomials& out, const Class& rows, std::size_t kept) {
    Polynomials error = out;
    add(error, rows.target, -1);
    Integer& loss = *bounds_.loss[index(rows)];
    for (std::size_t c = 0; c < error.size; ++c) {
      const Range at = range(error, c, kept, static_cast<std::uint32_t>(c));
      loss = std::max({loss, at.upper, Integer(-at.lower)});
    }
  }

  const Model& model_;
  const BoxRequest& request_;
  std::vector<Layer> layers_;
  BoxBounds bounds_;
  std::optional<Rollout> rollout_;  // of the position at hand
  Rows bos_;
  Rows before_;   // rows 2 .. last_trigger - 1
  Rows trigger_;  // of the position at hand
  Rows after_;    // of it
};

// How many monomials of a degree up to g there are in so many letters.
std::uint64_t monomials(std::uint64_t letters, std::uint64_t g) {
  std::uint64_t count = 1;
  for (std::uint64_t k = 1; k <= g; ++k) {
    count = certificate::product_of({count, letters + k}) / k;
  }
  return count;
}

// Of a range of a polynomial of degree g in so many letters of the row's own and of a key.
std::uint64_t walk_units(std::uint64_t own, std::uint64_t key, std::uint64_t g) {
  using certificate::product_of;
  const std::uint64_t walked = std::min<std::uint64_t>(own, kMostWalked);
  std::uint64_t groups = 1;
  for (std::uint64_t k = 1; k < g && k <= kMostTogether; ++k) groups = product_of({groups, key});
  return product_of({walked, std::uint64_t{1} << walked, groups + 1}) / 48;
}

}  // namespace

std::optional<BoxBounds> box_bounds(const Model& model, const BoxRequest& request,
                                    const TriggerPositions& positions) {
  return BoxPass(model, request).run(positions);
}

std::uint64_t box_units(const Model& model, const BoxRequest& request) {
  using certificate::product_of;
  using certificate::sum_of;
  const std::uint64_t n = model.width;
  const std::uint64_t d = n - 3;
  const std::uint64_t heads = product_of({model.blocks.size(), model.blocks.front().heads});
  const bool has_triggers = request.rows != certificate::Rows::kPre;
  const std::uint64_t triggers =
      has_triggers ? request.last_trigger - request.first_trigger + 1 : 0;
  std::uint64_t rows = request.last_trigger - 2;
  for (std::size_t j = request.first_trigger; j <= request.last_trigger; ++j) {
    if (request.rows == certificate::Rows::kPost) rows += request.length - j;
  }
  // Letters of earlier layers' logits: BOS's, the row's own and, where there is one, the gate's; and
  // each key's.
  const certificate::AttentionKind& kind = model.blocks.front().kind;
  const bool is_lifted = (kind.kernel == certificate::Kernel::kExp && kind.normalised) ||
                         (request.refined && kind.kernel == certificate::Kernel::kSigmoid);
  const std::uint64_t lifted =
      is_lifted ? product_of({model.blocks.size() - 1, model.blocks.front().heads}) : 0;
  const std::uint64_t of_a_row = kind.gated && request.refined ? 3 : 2;
  const std::uint64_t own = sum_of({d, product_of({of_a_row, lifted})});
  const std::uint64_t key = sum_of({own, lifted});
  const std::uint64_t each =
      sum_of({product_of({n, certificate::cost_of(model.bits)}), 4 * d}) / 12;
  const std::uint64_t products =
      sum_of({product_of({triggers, monomials(own + 2 * key, request.degree)}),
              product_of({rows, monomials(2 * own, request.row_degree)})});
  const std::uint64_t walk = walk_units(own, key, request.degree);
  const std::uint64_t logits =
      sum_of({product_of({triggers, walk}),
              product_of({1 + triggers, walk_units(own, key, request.row_degree)})});
  const std::uint64_t weights = product_of({100, sum_of({rows, triggers}), request.length + 1,
                                            certificate::cost_of(2ULL * kBoxPrecision)});
  const std::uint64_t hulls = product_of({5, rows, n, walk_units(own, key, 1)});
  // Of losses of rows whose keys stay, of three classes.
  const std::uint64_t apart =
      request.refined ? product_of({3, rows, n, walk_units(own, key, request.row_degree)}) : 0;
  return sum_of({apart, product_of({heads, n, products, each}),
                 product_of({heads, sum_of({product_of({4, logits}), weights, hulls})}),
                 product_of({triggers, n, walk})});
}

}  // namespace sinkproof::forward
