#include "certify/stack_effort.hpp"

#include <algorithm>
#include <cmath>

#include "exact/bits.hpp"
#include "forward/polynomial.hpp"

namespace sinkproof::certify {
namespace {

constexpr double kWordBits = 64;

// The most bits of a numerator and the most of a denominator among the numbers it is shown.
struct Longest {
  std::uint64_t numerator_bits = 0;
  std::uint64_t denominator_bits = 0;

  void include(const exact::Rational& value) {
    numerator_bits = std::max(numerator_bits, exact::bits_of(numerator(value)));
    denominator_bits = std::max(denominator_bits, exact::bits_of(denominator(value)));
  }
  void include(const forward::Affine& map) {
    for (const exact::Rational& value : map.weight.values()) include(value);
    for (const exact::Rational& value : map.bias) include(value);
  }
  // One operation, in operations on one word.
  [[nodiscard]] double cost() const {
    const double words =
        1 + std::floor(static_cast<double>(numerator_bits + denominator_bits) / kWordBits);
    return words * (1 + std::floor(words / kWordBits));
  }
};

double cost_of(const forward::Model& model, const certificate::Box& box) {
  Longest weights;
  for (const forward::AttentionBlock& block : model.blocks) {
    weights.include(block.scale);
    for (const forward::Affine* map :
         {&block.query, &block.key, &block.value, &block.output, &block.gate}) {
      weights.include(*map);
    }
    for (const exact::Rational& sink : block.sinks) weights.include(sink);
  }
  Longest ends;
  exact::Integer common = 1;
  for (const certificate::Interval& interval : box.intervals) {
    common = lcm(lcm(common, denominator(interval.least)), denominator(interval.greatest));
  }
  ends.include(exact::make_rational(1, common));
  for (const certificate::Interval& interval : box.intervals) {
    ends.include(common * interval.least);
    ends.include(common * interval.greatest);
  }
  return std::max(weights.cost(), ends.cost());
}

// How many monomials of a degree up to g there are in so many letters.
double monomials(double letters, std::size_t g) {
  double count = 1;
  for (std::size_t k = 1; k <= g; ++k) {
    count *= (letters + static_cast<double>(k)) / static_cast<double>(k);
  }
  return count;
}

// Of a range of a polynomial of degree g in so many letters of the row's own and of a key.
double walk(double own, double key, std::size_t g) {
  const double walked = std::min<double>(own, forward::kMostWalked);
  const double together = static_cast<double>(std::min<std::size_t>(g - 1, forward::kMostTogether));
  return walked * std::exp2(walked) * (1 + std::pow(key, together)) / 48;
}

}  // namespace

StackEffort::StackEffort(const forward::Model& model, const certificate::Box& box)
    : model_(model), cost_(cost_of(model, box)) {}

double StackEffort::of(const forward::BoxRequest& request) const {
  const auto n = static_cast<double>(model_.width);
  const double d = n - 3;
  const auto layers = static_cast<double>(model_.blocks.size());
  const auto heads_of_one = static_cast<double>(model_.blocks.front().heads);
  const bool has_triggers = request.rows != certificate::Rows::kPre;
  const double triggers =
      has_triggers ? static_cast<double>(request.last_trigger - request.first_trigger + 1) : 0;
  auto rows = static_cast<double>(request.last_trigger - 2);
  for (std::size_t j = request.first_trigger; j <= request.last_trigger; ++j) {
    if (request.rows == certificate::Rows::kPost) rows += static_cast<double>(request.length - j);
  }
  // Letters of earlier layers' logits: BOS's, the row's own and the gate's; and each key's.
  const certificate::AttentionKind& kind = model_.blocks.front().kind;
  const bool is_lifted = (kind.kernel == certificate::Kernel::kExp && kind.normalised) ||
                         kind.kernel == certificate::Kernel::kSigmoid;
  const double lifted = is_lifted ? (layers - 1) * heads_of_one : 0;
  const double own = d + (kind.gated ? 3 : 2) * lifted;
  const double key = d + 3 * lifted;
  const double each = (n * cost_ + 4 * d) / 12;
  const double products = triggers * monomials(own + 2 * key, request.degree) +
                          rows * monomials(2 * own, request.row_degree);
  const double of_trigger = walk(own, key, request.degree);
  const double of_row = walk(own, key, request.row_degree);
  const double logits = triggers * of_trigger + (1 + triggers) * of_row;
  constexpr double kCostOfWeight = 500;
  const double weights =
      kCostOfWeight * (rows + triggers) * static_cast<double>(request.length + 1);
  const double hulls = 5 * rows * n * walk(own, key, 1);
  // Of losses of rows whose keys stay, of three classes.
  const double apart = 3 * rows * n * of_row;
  return apart + layers * heads_of_one * (n * products * each + 4 * logits + weights + hulls) +
         triggers * n * of_trigger;
}

}  // namespace sinkproof::certify
