#include "certify/softmax_row.hpp"

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

// Exponent of one key's weight relative to BOS, times exp(lambda (s v - eta) - 1); lambda = 0
// leaves the weight alone.
struct ValueTerm {
  std::size_t coordinate = 0;
  double sign = 1;
  double eta = 0;
  double lambda = 0;
};

SignForm key_form(const Head& head, std::size_t query, const Keys& keys, const ValueTerm& term) {
  SignForm form(head.noise);
  add_base(form, head, query, keys.flag, 1);
  add_base(form, head, query, kBosFlag, -1);
  if (keys.is_query) add_self(form, head, query, 1);
  const auto value = [&](std::size_t column) {
    const double scale = term.lambda * term.sign;
    return scale == 0 ? 0 : scale * head.value_float(term.coordinate, column);
  };
  for (std::size_t l = 0; l < head.noise; ++l) {
    if (keys.is_query) {
      form.linear[l] += value(kFirstNoise + l);
    } else {
      add_absolute_query(form, head, query, l, value(kFirstNoise + l), 1);
    }
  }
  if (term.lambda != 0) form.constant += value(keys.flag) - term.lambda * term.eta - 1;
  return form;
}

std::vector<SignForm> weight_forms(const Head& head, RowClass rows) {
  std::vector<SignForm> forms;
  for (const Keys& keys : longest_row(head, rows)) {
    forms.push_back(key_form(head, query_flag(head, rows), keys, {}));
  }
  return forms;
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
    return root_bound(key_form(head, head.content_flag(), {key_flag, 1}, term)) -
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

// Whether sum of count exp(leaf bound) / lambda is at most so much.
LeafTest sum_of_exp(std::vector<double> factors, double most) {
  return [factors = std::move(factors), most](std::span<const double> bounds) {
    double total = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) total += factors[i] * std::exp(bounds[i]);
    return total <= most;
  };
}

// Finds a tree that proves sign * out_r <= eta.
bool prove_coordinate(Piece& piece, const Head& head, RowClass rows, ValueTerm term,
                      std::span<const std::size_t> order, const Effort& effort) {
  std::vector<SignForm> forms;
  std::vector<double> factors;
  json::Value lambdas = json::Value::array();
  exact::Rational lambda;
  for (const Keys& keys : longest_row(head, rows)) {
    // The query is weighed as other content keys are.
    if (!keys.is_query) lambda = short_dyadic(best_lambda(head, keys.flag, term));
    lambdas.push_back(exact::to_string(lambda));
    ValueTerm weighed = term;
    weighed.lambda = rounded::to_double_estimate(lambda);
    forms.push_back(key_form(head, head.content_flag(), keys, weighed));
    factors.push_back(keys.count / weighed.lambda);
  }
  const double start = term.sign * head.value_float(term.coordinate, kBosFlag) - term.eta;
  const double room = -start - effort.margin * (std::fabs(start) + term.eta);
  TreeSearch search =
      search_tree(forms, order, sum_of_exp(factors, room / (1 + effort.margin)), effort.nodes);
  if (!search.complete) return false;
  piece.trees = {std::move(search.tree)};
  piece.parameters = std::move(lambdas);
  return true;
}

// The tree of one side at eta or, where it is not found, at a larger one.
Piece prove_side(const Head& head, RowClass rows, std::size_t side, double eta, double most,
                 std::span<const std::size_t> order, const Effort& effort) {
  const double sign = side % 2 == 0 ? 1 : -1;
  Piece piece;
  const auto holds = [&](double bound) {
    if (bound > eta && effort.nodes.has_ended()) return false;
    return prove_coordinate(piece, head, rows, {side / 2, sign, bound}, order, effort);
  };
  piece.target = holds(eta) ? eta : least_above(eta, most, holds);
  return piece;
}

}  // namespace

std::optional<Proof> bound_softmax_row_loss(const Head& head, RowClass rows, double attained,
                                            const std::optional<exact::Rational>& most,
                                            const Effort& effort) {
  if (effort.roots_only) return std::nullopt;
  const auto order = influence_order(weight_forms(head, rows));
  const double limit = most ? rounded::to_double_estimate(*most) : HUGE_VAL;
  PieceSearch pieces{2 * head.width, fmt::format("softmax-row {} below {}", to_string(rows), limit),
                     [&](std::size_t side, double target, const Effort& own) {
                       return prove_side(head, rows, side, target, limit, order, own);
                     }};
  const auto rounds = search_rounds(pieces, attained * 1.002, 1, most, effort);
  if (!rounds) return std::nullopt;
  json::Value lambdas = json::Value::array();
  for (const Piece& side : rounds->pieces) lambdas.push_back(side.parameters);
  return Proof{rounds->bound,
               tree_proof("softmax-row", order, {{"lambda", std::move(lambdas)}}, rounds->trees())};
}

namespace {

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
  return {proved, tree_proof("softmax-floor", order, json::Value::object(), trees)};
}

}  // namespace sinkproof::certify
