#include "certify/softmax_floor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "certify/logit_forms.hpp"
#include "certify/pieces.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

// Keys beside BOS: so many of a flag, each with noise of its own, or the query itself.
struct Keys {
  std::size_t flag;
  double count;
  bool is_query = false;
};

std::size_t query_flag(const Head& head, RowClass rows) {
  return rows == RowClass::kTrigger ? kTriggerFlag : head.content_flag();
}

// Of the longest row of a class; other content keys first.
std::vector<Keys> longest_row(const Head& head, RowClass rows) {
  const std::size_t content = head.content_flag();
  const auto length = static_cast<double>(head.length);
  if (rows == RowClass::kTrigger) return {{content, length - 2}, {kTriggerFlag, 1, true}};
  std::vector<Keys> row = {{content, length - 3}, {content, 1, true}};
  if (rows == RowClass::kPost) row.push_back({kTriggerFlag, 1});
  return row;
}

// The exponent of one key's weight relative to BOS.
SignForm key_form(const Head& head, std::size_t query, const Keys& keys) {
  SignForm form(head.noise);
  add_base(form, head, query, keys.flag, 1);
  add_base(form, head, query, kBosFlag, -1);
  if (keys.is_query) {
    add_self(form, head, query, 1);
  } else {
    add_query_norm(form, head, query);
  }
  return form;
}

std::vector<SignForm> weight_forms(const Head& head, RowClass rows) {
  std::vector<SignForm> forms;
  for (const Keys& keys : longest_row(head, rows)) {
    forms.push_back(key_form(head, query_flag(head, rows), keys));
  }
  return forms;
}

// Whether sum of factor exp(leaf bound) is at most so much.
LeafTest sum_of_exp(std::vector<double> factors, double most) {
  return [factors = std::move(factors), most](std::span<const double> bounds) {
    double total = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) total += factors[i] * std::exp(bounds[i]);
    return total <= most;
  };
}

// Logits relative to the slot's: of the keys, and of the one of BOS and the null slot that is not
// the slot.
std::vector<SignForm> slot_forms(const Layer& layer, const Head& head, RowClass rows, Slot slot) {
  const std::size_t query = query_flag(head, rows);
  std::vector<SignForm> forms = weight_forms(head, rows);
  if (!layer.has_null_slot()) return forms;
  if (slot == Slot::kNull) {
    for (SignForm& form : forms) add_base(form, head, query, kBosFlag, 1);
  }
  forms.emplace_back(head.noise);
  add_base(forms.back(), head, query, kBosFlag, slot == Slot::kNull ? 1 : -1);
  return forms;
}

}  // namespace

Proof bound_softmax_floor(const Layer& layer, RowClass rows, Slot slot, double attained,
                          const Effort& effort) {
  std::vector<std::vector<SignForm>> heads;
  std::vector<SignForm> all;
  for (const Head& head : layer.heads) {
    heads.push_back(slot_forms(layer, head, rows, slot));
    all.insert(all.end(), heads.back().begin(), heads.back().end());
  }
  const auto order = influence_order(all);
  std::vector<double> counts(heads.front().size(), 1);
  counts.front() = longest_row(layer.heads.front(), rows).front().count;
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
