// Forms on the sign box and the trees and points that prove bounds on them.
// CHECKPOINT_RULES.md 4.5.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/coupling.hpp"

namespace sinkproof::check {

// F(u) = constant + sum linear_k u_k + own * sum_{k<l} S_kl u_k u_l + the absolute values.
struct SignForm {
  explicit SignForm(std::size_t dimension) : linear(dimension) {}

  // |offset + scale * sum_k N_kl u_k|, l = key; without key |offset + row . u|.
  struct Absolute {
    exact::Rational offset;
    std::optional<std::size_t> key;
    exact::Rational scale = 0;
    std::vector<exact::Rational> row;
  };

  exact::Rational constant = 0;
  std::vector<exact::Rational> linear;
  exact::Rational own = 0;
  std::vector<Absolute> absolute;
  const Coupling* coupling = nullptr;  // N and S; null where the form has neither

  [[nodiscard]] std::size_t dimension() const { return linear.size(); }
};

// What an absolute value of the form adds to a bound when nothing is known of u.
exact::Rational reach(const SignForm& form, const SignForm::Absolute& term);

using Order = std::vector<std::size_t>;

// Called at each leaf with the leaf bounds of the forms, in order.
using LeafCheck = std::function<void(const std::vector<exact::Rational>&)>;

// The image of point e under a form's coupling; throws Rejected where there is none.
using Images = std::function<const PointImage&(const Coupling*, std::size_t)>;

// Walks `tree` over all forms; throws Rejected when it is malformed or when `leaf` does.
void walk_tree(const std::vector<SignForm>& forms, const Order& order, const std::string& tree,
               const Images& images, const std::string& where, const LeafCheck& leaf);

}  // namespace sinkproof::check
