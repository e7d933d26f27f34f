// Forms on the sign box and the trees that prove bounds on them. CHECKPOINT_RULES.md 4.5.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "exact/rational.hpp"

namespace sinkproof::check {

// F(u) = constant + sum linear_k u_k + sum_{k<l} cross_kl u_k u_l + sum_i |offset_i + row_i . u|.
struct SignForm {
  explicit SignForm(std::size_t dimension) : linear(dimension) {}

  struct Absolute {
    exact::Rational offset;
    std::vector<exact::Rational> row;
  };

  exact::Rational constant = 0;
  std::vector<exact::Rational> linear;
  std::vector<std::vector<exact::Rational>> cross;  // empty, or d x d, symmetric, zero diagonal
  std::vector<Absolute> absolute;

  [[nodiscard]] std::size_t dimension() const { return linear.size(); }
  // Adds value * u_k * u_l, k != l.
  void add_cross(std::size_t k, std::size_t l, const exact::Rational& value);
};

using Order = std::vector<std::size_t>;

// Called at each leaf with the leaf bounds of the forms, in order.
using LeafCheck = std::function<void(const std::vector<exact::Rational>&)>;

// Walks `tree` over all forms; throws Rejected when it is malformed or when `leaf` does.
void walk_tree(const std::vector<SignForm>& forms, const Order& order, const std::string& tree,
               const std::string& where, const LeafCheck& leaf);

}  // namespace sinkproof::check
