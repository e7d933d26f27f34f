#include "certify/softmax_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "certify/logit_forms.hpp"
#include "certify/pieces.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

// Exponent of one key's weight relative to BOS, times exp(lambda (s v - eta) - 1); lambda = 0
// leaves the weight alone. Key noise w is free in the box, except for the query itself (w = u).
struct ValueTerm {
  std::size_t coordinate = 0;
  double sign = 1;
  double eta = 0;
  double lambda = 0;
};

SignForm free_key_form(const Head& head, std::size_t query_flag, std::size_t key_flag,
                       const ValueTerm& term) {
  SignForm form(head.noise);
  add_base(form, head, query_flag, key_flag, 1);
  add_base(form, head, query_flag, kBosFlag, -1);
  const double scale = term.lambda * term.sign;
  for (std::size_t l = 0; l < head.noise; ++l) {
    const double value =
        scale == 0 ? 0 : scale * head.value_float(term.coordinate, kFirstNoise + l);
    add_absolute_query(form, head, query_flag, l, value, 1);
  }
  if (term.lambda != 0) {
    form.constant +=
        scale * head.value_float(term.coordinate, key_flag) - term.lambda * term.eta - 1;
  }
  return form;
}

SignForm self_key_form(const Head& head, std::size_t flag, const ValueTerm& term) {
  SignForm form(head.noise);
  add_base(form, head, flag, flag, 1);
  add_base(form, head, flag, kBosFlag, -1);
  add_self(form, head, flag, 1);
  if (term.lambda != 0) {
    const double scale = term.lambda * term.sign;
    for (std::size_t k = 0; k < head.noise; ++k) {
      form.linear[k] += scale * head.value_float(term.coordinate, kFirstNoise + k);
    }
    form.constant += scale * head.value_float(term.coordinate, flag) - term.lambda * term.eta - 1;
  }
  return form;
}

// The lambda whose term is least over the whole box: a golden-section search in log(1/lambda).
double best_lambda(const Head& head, std::size_t key_flag, ValueTerm term) {
  double reach = term.sign * head.value_float(term.coordinate, key_flag) - term.eta;
  for (std::size_t l = 0; l < head.noise; ++l) {
    reach += std::fabs(head.value_float(term.coordinate, kFirstNoise + l));
  }
  const double size = std::max(std::fabs(reach), 1e-9);
  const auto height = [&](double log_scale) {
    term.lambda = std::exp(-log_scale) / size;
    return root_bound(free_key_form(head, head.content_flag(), key_flag, term)) -
           std::log(term.lambda);
  };
  double low = -14;
  double high = 1;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  for (int step = 0; step < 60; ++step) {
    const double a = high - golden * (high - low);
    const double b = low + golden * (high - low);
    (height(a) <= height(b) ? high : low) = height(a) <= height(b) ? b : a;
  }
  return std::exp(-(low + high) / 2) / size;
}

struct RowTree {
  std::array<exact::Rational, 3> lambda;  // others, self, trigger
  std::string tree;
};

struct Keys {
  std::size_t query_flag;
  double others;     // content keys that are not the query
  bool has_trigger;  // beside the query
};

Keys longest_row(const Head& head, RowClass rows) {
  if (rows == RowClass::kTrigger) {
    return {kTriggerFlag, static_cast<double>(head.length - 2), false};
  }
  return {head.content_flag(), static_cast<double>(head.length - 3), rows == RowClass::kPost};
}

// A tree that proves sign * out_r <= eta, if one is found.
std::optional<RowTree> prove_coordinate(const Head& head, RowClass rows, std::size_t coordinate,
                                        double sign, double eta, std::span<const std::size_t> order,
                                        const Effort& effort) {
  const Keys keys = longest_row(head, rows);
  ValueTerm term{coordinate, sign, eta, 0};
  RowTree result;
  const std::size_t content = head.content_flag();
  result.lambda[0] = short_dyadic(best_lambda(head, content, term));
  result.lambda[1] = result.lambda[0];
  result.lambda[2] = short_dyadic(best_lambda(head, kTriggerFlag, term));
  std::array<double, 3> lambda{};
  std::transform(result.lambda.begin(), result.lambda.end(), lambda.begin(),
                 rounded::to_double_estimate);

  std::vector<SignForm> forms;
  term.lambda = lambda[0];
  forms.push_back(free_key_form(head, content, content, term));
  term.lambda = lambda[1];
  forms.push_back(self_key_form(head, content, term));
  term.lambda = lambda[2];
  if (keys.has_trigger) forms.push_back(free_key_form(head, content, kTriggerFlag, term));

  const double start = sign * head.value_float(coordinate, kBosFlag) - eta;
  const double room = -start - effort.margin * (std::fabs(start) + eta);
  const LeafTest passes = [&](std::span<const double> bounds) {
    double total = keys.others / lambda[0] * std::exp(bounds[0]) + std::exp(bounds[1]) / lambda[1];
    if (keys.has_trigger) total += std::exp(bounds[2]) / lambda[2];
    return total * (1 + effort.margin) <= room;
  };
  TreeSearch search = search_tree(forms, order, passes, effort.nodes);
  if (!search.complete) return std::nullopt;
  result.tree = std::move(search.tree);
  return result;
}

json::Value lambda_entry(const RowTree& row, bool has_trigger) {
  json::Value lambda = {exact::to_string(row.lambda[0]), exact::to_string(row.lambda[1])};
  if (has_trigger) lambda.push_back(exact::to_string(row.lambda[2]));
  return lambda;
}

std::vector<SignForm> weight_forms(const Head& head, const Keys& keys) {
  std::vector<SignForm> forms = {free_key_form(head, keys.query_flag, head.content_flag(), {}),
                                 self_key_form(head, keys.query_flag, {})};
  if (keys.has_trigger) forms.push_back(free_key_form(head, keys.query_flag, kTriggerFlag, {}));
  return forms;
}

// The tree of one side at eta or, where it is not found, at a larger one.
Piece prove_side(const Head& head, RowClass rows, std::size_t side, double eta, double most,
                 std::span<const std::size_t> order, const Effort& effort) {
  const double sign = side % 2 == 0 ? 1 : -1;
  Piece piece;
  const auto holds = [&](double bound) {
    if (bound > eta && effort.nodes.has_ended()) return false;
    auto row = prove_coordinate(head, rows, side / 2, sign, bound, order, effort);
    if (!row) return false;
    piece.trees = {std::move(row->tree)};
    piece.parameters = lambda_entry(*row, longest_row(head, rows).has_trigger);
    return true;
  };
  piece.target = holds(eta) ? eta : least_above(eta, most, holds);
  return piece;
}

}  // namespace

Proof bound_softmax_row_loss(const Head& head, RowClass rows, double attained, const Effort& effort,
                             Proof otherwise) {
  if (effort.roots_only) return otherwise;
  const auto order = influence_order(weight_forms(head, longest_row(head, rows)));
  const double most = rounded::to_double_estimate(otherwise.bound);
  PieceSearch pieces{
      2 * head.width,
      fmt::format("softmax-row {} below {}", to_string(rows), exact::to_string(otherwise.bound)),
      [&](std::size_t side, double target, const Effort& own) {
        return prove_side(head, rows, side, target, most, order, own);
      }};
  const auto rounds = search_rounds(pieces, attained * 1.002, 1, otherwise.bound, effort);
  if (!rounds) return otherwise;
  json::Value lambdas = json::Value::array();
  for (const Piece& side : rounds->pieces) lambdas.push_back(side.parameters);
  return {rounds->bound,
          tree_proof("softmax-row", order, {{"lambda", std::move(lambdas)}}, rounds->trees())};
}

namespace {

// Trees that prove the slot's share to be at least `floor` in every head, if they are found.
std::optional<std::vector<std::string>> prove_floor(const std::vector<std::vector<SignForm>>& heads,
                                                    const Keys& keys, const exact::Rational& floor,
                                                    std::span<const std::size_t> order,
                                                    const Effort& effort) {
  const double target = 1 / rounded::to_double_estimate(floor) - 1;
  const LeafTest passes = [&](std::span<const double> bounds) {
    double total = keys.others * std::exp(bounds[0]);
    for (const double bound : bounds.subspan(1)) total += std::exp(bound);
    return total * (1 + 1e3 * effort.margin) <= target;
  };
  std::vector<std::string> trees;
  for (const auto& forms : heads) {
    TreeSearch search = search_tree(forms, order, passes, effort.nodes);
    if (!search.complete) return std::nullopt;
    trees.push_back(std::move(search.tree));
  }
  return trees;
}

// Logits relative to the slot's: of other content keys, of the query itself, of a trigger beside
// it, and of the one of BOS and the null slot that is not the slot.
std::vector<SignForm> slot_forms(const Layer& layer, const Head& head, RowClass rows, Slot slot) {
  const Keys keys = longest_row(head, rows);
  std::vector<SignForm> forms = weight_forms(head, keys);
  if (!layer.has_null_slot()) return forms;
  if (slot == Slot::kNull) {
    for (SignForm& form : forms) add_base(form, head, keys.query_flag, kBosFlag, 1);
  }
  forms.emplace_back(head.noise);
  add_base(forms.back(), head, keys.query_flag, kBosFlag, slot == Slot::kNull ? 1 : -1);
  return forms;
}

}  // namespace

Proof bound_softmax_floor(const Layer& layer, RowClass rows, Slot slot, double attained,
                          const Effort& effort) {
  const Keys keys = longest_row(layer.heads.front(), rows);
  std::vector<std::vector<SignForm>> heads;
  std::vector<SignForm> all;
  for (const Head& head : layer.heads) {
    heads.push_back(slot_forms(layer, head, rows, slot));
    all.insert(all.end(), heads.back().begin(), heads.back().end());
  }
  const auto order = influence_order(all);
  const auto proof_of = [&](const exact::Rational& floor,
                            const std::vector<std::string>& trees) -> Proof {
    return {floor, tree_proof("softmax-floor", order, json::Value::object(), trees)};
  };
  // The keys' weight relative to the slot's; where doubles hardly tell it from none there is still
  // room to give way.
  constexpr double kLeastMass = 1e-9;
  const double attained_mass = std::max(1 / std::max(attained, 1e-300) - 1, kLeastMass);
  constexpr double kHopeless = 1e15;
  const double most = effort.roots_only ? 0 : kHopeless;
  double share = 0.002;
  while (share < most) {
    // Aim for a floor a little below the attained one, on whichever scale is finer there.
    const double mass = attained_mass * (1 + share);
    const auto floor = bound_below(1 / (1 + mass) * (1 - effort.margin));
    if (!floor || *floor <= 0) break;
    const auto trees = prove_floor(heads, keys, *floor, order, effort);
    if (trees) return proof_of(*floor, *trees);
    share *= share < 1 ? 1.5 : 4;
  }
  return proof_of(0, std::vector<std::string>(layer.heads.size(), "0"));
}

}  // namespace sinkproof::certify
