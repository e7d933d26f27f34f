// Forms on the sign box and the trees and points that prove bounds on them.
// CHECKPOINT_RULES.md 4.5.
//
// A form is kept as what it is made of: numbers times rows of whole numbers that a head's forms
// share. Only where it is bounded is all of it put over one denominator (whole_form.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "attention/coupling.hpp"

namespace sinkproof::check {

// constant + sum of factor * row . u.
struct AffineForm {
  struct Part {
    exact::Rational factor;
    WholeRow row;
  };
  exact::Rational constant = 0;
  std::vector<Part> parts;

  void add(const exact::Rational& factor, const WholeRow& row);
};

// F(u) = sum + own * sum_{k<l} S_kl u_k u_l + the absolute values.
struct SignForm {
  explicit SignForm(std::size_t of) : dimension(of) {}

  // |weight * values_l + scale (start_l + sum_k N_kl u_k)| for l = first .. last - 1 but `without`.
  // `start` is of the coupling's denominator, or null as `values` may be: then they are 0.
  struct OfKeys {
    std::size_t first;
    std::size_t last;
    std::size_t without;
    exact::Rational weight;
    WholeRow values;
    exact::Rational scale;
    const exact::Integer* start;
  };

  std::size_t dimension;
  AffineForm sum;
  exact::Rational own = 0;
  std::vector<OfKeys> of_keys;
  std::vector<AffineForm> absolute;    // of no key coordinate
  const Coupling* coupling = nullptr;  // N and S; null where the form has neither

  // factor * form. Precondition: factor >= 0, and one of the couplings is the other, or null.
  void add(const SignForm& form, const exact::Rational& factor);
};

using Order = std::vector<std::size_t>;

// Called at each leaf with the leaf bounds of the forms, in order.
using LeafCheck = std::function<void(const std::vector<exact::Rational>&)>;

// The image of point e under a form's coupling; throws Rejected where there is none.
using Images = std::function<const PointImage&(const Coupling*, std::size_t)>;

// Walks `tree` over all forms; throws Rejected when it is malformed or when `leaf` does.
void walk_tree(const std::vector<SignForm>& forms, const Order& order, const std::string& tree,
               const Images& images, const std::string& where, const LeafCheck& leaf);

}  // namespace sinkproof::check
