#include "check/hull.hpp"

#include <set>
#include <string>
#include <vector>

#include "certificate/fields.hpp"
#include "certificate/whole.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {
namespace {

using certificate::only_keys;
using exact::Integer;
using exact::Rational;

Rational number(const json::Value& object, const std::string& name) {
  return value_of(certificate::rational_field(object, name, name));
}

Rational not_negative(const json::Value& object, const std::string& name) {
  Rational value = number(object, name);
  require(value >= 0, name, "must not be negative");
  return value;
}

// A non-empty, strictly increasing list of numbers of vectors.
std::vector<std::size_t> read_numbers(const json::Value& list, std::size_t count,
                                      const std::string& where) {
  require(list.is_array() && !list.empty(), where, "must be a non-empty list");
  std::vector<std::size_t> numbers;
  for (const json::Value& entry : list) {
    const std::size_t number = value_of(certificate::index_of(entry, count, where));
    require(numbers.empty() || numbers.back() < number, where, "must be strictly increasing");
    numbers.push_back(number);
  }
  return numbers;
}

// sum c_k v_k as its coefficients, zero where the list has none.
struct Combination {
  std::vector<Integer> coefficients;  // T
  std::set<std::size_t> named;
};

Combination read_combination(const json::Value& list, std::size_t count, const std::string& where) {
  require(list.is_array(), where, "must be a list");
  Combination result{std::vector<Integer>(count), {}};
  for (const json::Value& entry : list) {
    require(entry.is_array() && entry.size() == 2, where, "must hold pairs [vector, number]");
    const std::size_t k = value_of(certificate::index_of(entry[0], count, where));
    require(result.named.empty() || *result.named.rbegin() < k, where,
            "must be strictly increasing");
    result.named.insert(k);
    result.coefficients[k] =
        value_of(certificate::whole(entry[1], certificate::kMaxWholeCharacters, where));
  }
  return result;
}

// The products u . v_k of u = sum c_l v_l with every vector, and |u|^2; all times D.
struct Direction {
  std::vector<Integer> products;
  Integer square;
};

Direction direction_of(const Combination& combination, const ScaledMatrix& gram) {
  Direction direction{std::vector<Integer>(gram.rows()), 0};
  for (const std::size_t l : combination.named) {
    for (std::size_t k = 0; k < gram.rows(); ++k) {
      direction.products[k] += gram.entries(k, l) * combination.coefficients[l];
    }
  }
  for (const std::size_t l : combination.named) {
    direction.square += combination.coefficients[l] * direction.products[l];
  }
  return direction;
}

void verify_weights(const json::Value& list, const std::vector<std::size_t>& vectors,
                    const Rational& upper, const ScaledMatrix& gram) {
  const Combination weights = read_combination(list, gram.rows(), "weights");
  const std::set<std::size_t> allowed(vectors.begin(), vectors.end());
  Integer sum = 0;
  for (const std::size_t k : weights.named) {
    require(allowed.contains(k), "weights", "a weight is on a vector that is not listed");
    require(weights.coefficients[k] > 0, "weights", "must be positive");
    sum += weights.coefficients[k];
  }
  require(sum > 0, "weights", "there is none");
  const Integer square = direction_of(weights, gram).square;
  require(exact::make_rational(square, gram.denominator * sum * sum) <= upper, "upper",
          "the weights give a longer vector");
}

void verify_distance(const json::Value& list, const std::vector<std::size_t>& vectors,
                     const Rational& lower, const ScaledMatrix& gram) {
  const Combination combination = read_combination(list, gram.rows(), "direction");
  if (lower == 0) {
    require(combination.named.empty(), "direction", "0 needs none");
    return;
  }
  require(lower > 0, "lower", "must not be negative");
  const Direction direction = direction_of(combination, gram);
  for (const std::size_t k : vectors) {
    const Integer& product = direction.products[k];
    require(product > 0, "direction", "does not separate vector " + std::to_string(k));
    // (p/D)^2 >= lower * square/D
    require(Rational(product * product) >= lower * Rational(direction.square * gram.denominator),
            "lower", "vector " + std::to_string(k) + " is nearer along the direction");
  }
}

}  // namespace

void verify_hull_distance(const json::Value& statement, const json::Value& evidence,
                          const ScaledMatrix& gram) {
  value_of(only_keys(statement, {"lower", "property", "upper", "vectors"}, "statement"));
  value_of(only_keys(evidence, {"direction", "weights"}, "evidence"));
  const auto vectors = read_numbers(statement["vectors"], gram.rows(), "vectors");
  verify_weights(evidence["weights"], vectors, number(statement, "upper"), gram);
  verify_distance(evidence["direction"], vectors, number(statement, "lower"), gram);
}

void verify_switch(const json::Value& statement, const json::Value& evidence,
                   const ScaledMatrix& gram) {
  value_of(only_keys(
      statement, {"anchor", "anchor_loss", "anchor_norm", "gap", "others", "property", "spread"},
      "statement"));
  value_of(only_keys(evidence, {"direction"}, "evidence"));
  const std::size_t anchor =
      value_of(certificate::index_of(statement["anchor"], gram.rows(), "anchor"));
  const auto others = read_numbers(statement["others"], gram.rows(), "others");
  const Rational gap = number(statement, "gap");
  require(gap > 0, "gap", "must be positive");
  const Rational loss = not_negative(statement, "anchor_loss");
  const Rational anchor_norm = not_negative(statement, "anchor_norm");
  const Rational spread = not_negative(statement, "spread");
  const Direction direction =
      direction_of(read_combination(evidence["direction"], gram.rows(), "direction"), gram);
  require(direction.square > 0, "direction", "is zero");
  const Rational square(direction.square * gram.denominator);  // D^2 |u|^2
  const auto entry = [&](std::size_t k, std::size_t l) {
    return exact::make_rational(gram.entries(k, l), gram.denominator);
  };
  for (const std::size_t k : others) {
    require(k != anchor, "others", "the anchor is among the others");
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
