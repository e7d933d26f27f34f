#include <algorithm>
#include <string>
#include <vector>

#include "certificate/rule.hpp"
#include "vectors/gram_rules.hpp"

namespace sinkproof::check {
namespace {

using certificate::Combination;
using certificate::HullDistance;
using certificate::Switch;
using exact::Integer;
using exact::Rational;

// The products u . v_k of u = sum c_l v_l with every vector, and |u|^2; all times D.
struct Direction {
  std::vector<Integer> products;
  Integer square;
};

Direction direction_of(const Combination& combination, const exact::ScaledMatrix& gram) {
  Direction direction{std::vector<Integer>(gram.rows()), 0};
  for (const auto& [l, coefficient] : combination) {
    for (std::size_t k = 0; k < gram.rows(); ++k) {
      direction.products[k] += gram.entries(k, l) * coefficient;
    }
  }
  for (const auto& [l, coefficient] : combination) {
    direction.square += coefficient * direction.products[l];
  }
  return direction;
}

void verify_weights(const HullDistance& stated, const exact::ScaledMatrix& gram) {
  const auto& vectors = stated.vectors;
  Integer sum = 0;
  for (const auto& [k, weight] : stated.weights) {
    require(std::binary_search(vectors.begin(), vectors.end(), k), "weights",
            "a weight is on a vector that is not listed");
    require(weight > 0, "weights", "must be positive");
    sum += weight;
  }
  require(sum > 0, "weights", "there is none");
  const Integer square = direction_of(stated.weights, gram).square;
  require(exact::make_rational(square, gram.denominator * sum * sum) <= stated.squared.upper,
          "upper", "the weights give a longer vector");
}

void verify_distance(const HullDistance& stated, const exact::ScaledMatrix& gram) {
  const Rational& lower = stated.squared.lower;
  if (lower == 0) return require(stated.direction.empty(), "direction", "0 needs none");
  const Direction direction = direction_of(stated.direction, gram);
  for (const std::size_t k : stated.vectors) {
    const Integer& product = direction.products[k];
    require(product > 0, "direction", "does not separate vector " + std::to_string(k));
    // (p/D)^2 >= lower * square/D
    require(Rational(product * product) >= lower * Rational(direction.square * gram.denominator),
            "lower", "vector " + std::to_string(k) + " is nearer along the direction");
  }
}

}  // namespace

void require_proved(const HullDistance& stated, const exact::ScaledMatrix& gram) {
  verify_weights(stated, gram);
  verify_distance(stated, gram);
}

void require_proved(const Switch& stated, const exact::ScaledMatrix& gram) {
  const auto& [anchor, others, gap, loss, anchor_norm, spread, combination] = stated;
  const Direction direction = direction_of(combination, gram);
  require(direction.square > 0, "direction", "is zero");
  const Rational square(direction.square * gram.denominator);  // D^2 |u|^2
  const auto entry = [&](std::size_t k, std::size_t l) {
    return exact::make_rational(gram.entries(k, l), gram.denominator);
  };
  for (const std::size_t k : others) {
    const Integer& product = direction.products[k];
    require(product >= 0 && Rational(product * product) >= gap * gap * square, "gap",
            "vector " + std::to_string(k) + " is nearer along the direction");
    require(entry(k, k) - 2 * entry(k, anchor) + entry(anchor, anchor) <= spread * spread, "spread",
            "vector " + std::to_string(k) + " is farther from the anchor");
  }
  const Integer& back = direction.products[anchor];
  require(back >= 0 || Rational(back * back) <= loss * loss * square, "anchor_loss",
          "the anchor is farther back along the direction");
  require(entry(anchor, anchor) <= anchor_norm * anchor_norm, "anchor_norm",
          "the anchor is longer");
}

}  // namespace sinkproof::check
