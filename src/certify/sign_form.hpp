// The one optimisation problem every checkpoint bound comes down to, and its search.
//
//   F(u) = constant + linear.u + sum_{k<l} cross_kl u_k u_l + sum_n |offset_n + row_n.u|,  u in
//   [-1,1]^d
//
// F is convex in each coordinate of u, so its maximum over the box is at a vertex. The search walks
// a binary tree that fixes one sign after the other, in a given order, and cuts a branch as soon as
// the bound with all other signs free is good enough. The tree (preorder, '1' = split, '0' = leaf)
// is the certificate: a checker recomputes the bound at each leaf, exactly, and needs no search.
// Doubles here: the search may be wrong, the checker decides.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exact/rational.hpp"

namespace sinkproof::certify {

template <typename T>
struct SignFormOver {
  explicit SignFormOver(std::size_t dimension) : linear(dimension) {}

  T constant = 0;
  std::vector<T> linear;  // d
  std::vector<T> cross;   // empty, or d x d with the entries k < l in use
  std::vector<T> offset;  // one for each absolute value
  std::vector<T> rows;    // offset.size() x d

  [[nodiscard]] std::size_t dimension() const { return linear.size(); }
  void add_absolute(const T& offset_n, std::span<const T> row) {
    offset.push_back(offset_n);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  // Allocates. Precondition: k < l.
  T& cross_at(std::size_t k, std::size_t l) {
    if (cross.empty()) cross.resize(dimension() * dimension());
    return cross[k * dimension() + l];
  }
};

using SignForm = SignFormOver<double>;
using ExactForm = SignFormOver<exact::Rational>;

// The bound of the tree that is a leaf: F's constant and the size of everything else.
template <typename T>
T root_bound(const SignFormOver<T>& form) {
  T total = form.constant;
  for (const auto* part : {&form.linear, &form.cross, &form.offset, &form.rows}) {
    for (const T& entry : *part) total += entry < 0 ? T(-entry) : entry;
  }
  return total;
}

// True when the bounds at a node (one a form, in order) suffice.
using LeafTest = std::function<bool(std::span<const double>)>;

struct TreeSearch {
  bool complete = false;  // every leaf passed
  std::string tree;       // meaningful when complete
  double worst = 0;       // when not complete: first form's bound at the leaf that failed
};

// Walks all forms on one tree. Gives up after `budget` nodes.
TreeSearch search_tree(std::span<const SignForm> forms, std::span<const std::size_t> order,
                       const LeafTest& passes, std::size_t budget);

// The coordinates by falling influence on the forms: the order in which to fix signs.
std::vector<std::size_t> influence_order(std::span<const SignForm> forms);

// What is made of the bounds of some forms at a node; grows with each of them.
using NodeValue = std::function<double(std::span<const double>)>;

// A vertex where `value` is above `floor`, the largest one found within `budget` nodes. Follows the
// larger value first.
std::optional<std::vector<double>> vertex_above(std::span<const SignForm> forms,
                                                std::span<const std::size_t> order,
                                                const NodeValue& value, double floor,
                                                std::size_t budget);

// F at a point.
double value_at(const SignForm& form, std::span<const double> point);

struct Maximum {
  double value = 0;            // upper bound found: the maximum itself unless the budget ran out
  std::string tree;            // certifies F <= value
  std::vector<double> vertex;  // the best vertex seen, where F is at most `value`
};

// The maximum of F over the box, or the best upper bound within `budget` nodes. `margin` is added,
// relative to the size of the form, so that exact arithmetic agrees with the tree.
Maximum maximise(const SignForm& form, std::span<const std::size_t> order, double margin,
                 std::size_t budget);

}  // namespace sinkproof::certify
