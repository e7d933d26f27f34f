#include "certify/softmax_floor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attention/rules.hpp"
#include "certify/logit_forms.hpp"
#include "certify/pieces.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

// Whether sum of factor exp(leaf bound) is at most so much.
LeafTest sum_of_exp(std::vector<double> factors, double most) {
  return [factors = std::move(factors), most](std::span<const double> bounds) {
    double total = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) total += factors[i] * std::exp(bounds[i]);
    return total <= most;
  };
}

}  // namespace

Proof bound_softmax_floor(const Layer& layer, RowClass rows, Slot slot, double attained,
                          const Effort& effort) {
  std::vector<std::vector<SignForm>> heads;
  std::vector<SignForm> all;
  std::vector<double> counts;
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const auto exact = check::softmax_floor_forms(layer.exact, h, rows, slot == Slot::kBos);
    counts.assign(exact.counts.begin(), exact.counts.end());
    std::vector<SignForm>& forms = heads.emplace_back();
    for (const auto& form : exact.forms) forms.push_back(estimated(form, layer.heads[h]));
    all.insert(all.end(), forms.begin(), forms.end());
  }
  const auto order = influence_order(all);
  exact::Rational proved = 0;
  std::vector<std::string> trees(layer.heads.size(), "0");
  // Whether the keys' weight relative to the slot's is shown to be at most `mass` in every head.
  const auto holds = [&](double mass) {
    const auto floor = bound_below(1 / (1 + mass) * (1 - effort.margin));
    if (!floor || *floor <= 0) return false;
    const double most = 1 / rounded::to_double_estimate(*floor) - 1;
    const LeafTest passes = sum_of_exp(counts, most / (1 + 1e3 * effort.margin));
    std::vector<std::string> found;
    for (const auto& forms : heads) {
      TreeSearch search = search_tree(forms, order, passes, effort.nodes);
      if (!search.complete) return false;
      found.push_back(std::move(search.tree));
    }
    proved = *floor;
    trees = std::move(found);
    return true;
  };
  // Aims for a floor a little below the attained one, on whichever scale is finer there; where
  // doubles hardly tell the mass from none there is still room to give way.
  constexpr double kLeastMass = 1e-9;
  constexpr double kHopeless = 1e15;
  const double mass = 1.002 * std::max(1 / std::max(attained, 1e-300) - 1, kLeastMass);
  if (!effort.roots_only && !holds(mass)) least_above(mass, kHopeless * mass, holds);
  return {proved, certificate::BySoftmaxFloor{stated_trees(order, trees)}};
}

}  // namespace sinkproof::certify
