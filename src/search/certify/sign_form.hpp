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

#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "certify/coupling.hpp"

namespace sinkproof::certify {

inline constexpr std::size_t kNoKey = static_cast<std::size_t>(-1);

struct SignForm {
  explicit SignForm(std::size_t dimension) : linear(dimension) {}

  double constant = 0;
  std::vector<double> linear;  // d
  std::vector<double> cross;   // empty, or d x d with the entries k < l in use
  std::vector<double> offset;  // one for each absolute value
  std::vector<double> rows;    // offset.size() x d
  // What points need to know: the factor of `self` in the form, of each absolute value its key
  // coordinate (or kNoKey) and the factor of that one's column of N; and N.
  double own = 0;
  std::vector<std::size_t> keys;
  std::vector<double> scales;
  const Coupling* coupling = nullptr;

  [[nodiscard]] std::size_t dimension() const { return linear.size(); }
  void add_absolute(double offset_n, std::span<const double> row, std::size_t key = kNoKey,
                    double scale = 0) {
    offset.push_back(offset_n);
    keys.push_back(key);
    scales.push_back(scale);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  // Allocates. Precondition: k < l.
  double& cross_at(std::size_t k, std::size_t l) {
    if (cross.empty()) cross.resize(dimension() * dimension());
    return cross[k * dimension() + l];
  }
};

// The bound of the tree that is a leaf: F's constant and the size of everything else.
inline double root_bound(const SignForm& form) {
  double total = form.constant;
  for (const auto* part : {&form.linear, &form.cross, &form.offset, &form.rows}) {
    for (const double entry : *part) total += std::fabs(entry);
  }
  return total;
}

// True when the bounds at a node (one a form, in order) suffice.
using LeafTest = std::function<bool(std::span<const double>)>;

struct TreeSearch {
  bool complete = false;  // every leaf passed
  std::string tree;       // meaningful when complete
};

// Points of the forms of one obligation, as a leaf has them in a tree until the proof is written
// (proof.hpp).
using Label = std::string;
// Of those that helped before: so many of the latest are tried.
inline constexpr std::size_t kLabelsTried = 24;

// How long to look for one tree, and what helped before.
struct Budget {
  using Clock = std::chrono::steady_clock;
  Budget(std::size_t most) : nodes(most) {}  // NOLINT(google-explicit-constructor): nodes alone
  // After the deadline only what costs next to nothing is tried, after the end nothing.
  [[nodiscard]] bool is_over() const { return deadline && Clock::now() >= *deadline; }
  [[nodiscard]] bool has_ended() const { return end && Clock::now() >= *end; }
  // The same with one of so many equal parts of the time left.
  [[nodiscard]] Budget part(std::size_t parts) const;

  std::size_t nodes;
  std::optional<Clock::time_point> deadline;
  std::optional<Clock::time_point> end;
  std::shared_ptr<std::vector<Label>> labels;  // that closed a tree of the same proof
};
inline Budget operator*(std::size_t times, Budget budget) {
  budget.nodes *= times;
  return budget;
}

// Trees decide heads of up to so many noise coordinates; wider ones are bounded at points.
inline constexpr std::size_t kNarrow = 20;

// The least bound on the form by a tree that is a leaf, with or without a point.
double bound_on_box(const SignForm& form);

// Walks all forms on one tree: a leaf has its own bounds, or those of a label found for the whole
// box. Gives up after `budget` nodes.
TreeSearch search_tree(std::span<const SignForm> forms, std::span<const std::size_t> order,
                       const LeafTest& passes, const Budget& budget);

// The coordinates by falling influence on the forms: the order in which to fix signs.
std::vector<std::size_t> influence_order(std::span<const SignForm> forms);

// What is made of the bounds of some forms at a node; grows with each of them.
using NodeValue = std::function<double(std::span<const double>)>;

// A vertex where `value` is above `floor`, the largest one found within `budget` nodes. Follows the
// larger value first.
std::optional<std::vector<double>> vertex_above(std::span<const SignForm> forms,
                                                std::span<const std::size_t> order,
                                                const NodeValue& value, double floor,
                                                const Budget& budget);

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
                 const Budget& budget);

}  // namespace sinkproof::certify
