#include "certify/relu_row.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "certify/logit_forms.hpp"
#include "exact/decimal.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;

template <typename T>
SignFormOver<T> score_form(const Head& head, std::size_t query_flag, std::size_t key_flag) {
  SignFormOver<T> form(head.noise);
  add_base(form, head, query_flag, key_flag, 1);
  add_query_norm(form, head, query_flag);
  return form;
}

template <typename T>
SignFormOver<T> product_form(const Head& head, std::size_t query_flag, std::size_t key_flag,
                             std::size_t r, int sign, const T& theta) {
  const auto& v = head.value_as<T>();
  SignFormOver<T> form(head.noise);
  add_base(form, head, query_flag, key_flag, theta);
  form.constant += sign * v(r, key_flag) / theta;
  for (std::size_t l = 0; l < head.noise; ++l) {
    add_absolute_query(form, head, query_flag, l, sign * v(r, kFirstNoise + l) / theta, theta);
  }
  return form;
}

// A tree showing that a score is <= 0 everywhere, if there is one.
std::optional<std::string> zero_tree(const Head& head, std::size_t key_flag,
                                     std::span<const std::size_t> order, const Effort& effort) {
  if (effort.roots_only) {
    const auto exactly = score_form<Rational>(head, head.content_flag(), key_flag);
    return root_bound(exactly) <= 0 ? std::optional<std::string>("0") : std::nullopt;
  }
  const auto form = score_form<double>(head, head.content_flag(), key_flag);
  const LeafTest passes = [&](std::span<const double> bounds) {
    return bounds[0] <= -effort.margin;
  };
  TreeSearch search = search_tree(std::span(&form, 1), order, passes, effort.nodes);
  if (!search.complete) return std::nullopt;
  return std::move(search.tree);
}

// The bound on the whole row for one coordinate and sign, from the bounds on single keys.
Rational row_bound(const Head& head, RowClass rows, const Rational& bos, const Rational& content,
                   const Rational& trigger) {
  if (rows == RowClass::kPre) return bos + content;
  const Rational few = (2 * content + trigger) / 3;
  const Rational many = ((head.length - 2) * content + trigger) / Rational(head.length - 1);
  return bos / 3 + exact::max(few, many);
}

// sup of relu(score) * sign * v over query and key noise: the square of a certified root.
struct ProductBound {
  Rational theta;
  Rational root;  // (root / 2)^2 bounds the product; 0 when both factors cannot be positive
  std::string tree;
};

ProductBound bound_product(const Head& head, std::size_t key_flag, std::size_t coordinate, int sign,
                           std::span<const std::size_t> order, const Effort& effort) {
  const std::size_t query_flag = head.content_flag();
  const Maximum score = maximise(score_form<double>(head, query_flag, key_flag), order, 0, 2000);
  double value = sign * head.value_float(coordinate, key_flag);
  for (std::size_t l = 0; l < head.noise; ++l) {
    value += std::fabs(head.value_float(coordinate, kFirstNoise + l));
  }
  const double balance = std::sqrt(std::max(value, 1e-12) / std::max(score.value, 1e-12));
  const Rational theta = short_dyadic(std::clamp(balance, 1e-6, 1e6));
  const auto product = [&]<typename T>(const T& factor) {
    return product_form(head, query_flag, key_flag, coordinate, sign, factor);
  };
  if (!effort.roots_only) {
    Maximum root =
        maximise(product(exact::to_double_estimate(theta)), order, effort.margin, effort.nodes);
    const auto bound = bound_above(root.value + 1e-12 * std::fabs(root.value));
    if (bound && std::fabs(root.value) > kLeastEstimate) {
      return {theta, exact::max(0, *bound), std::move(root.tree)};
    }
  }
  return {theta, exact::max(0, bound_above(root_bound(product(theta)))), "0"};
}

// sup of the BOS key's score over a content query's noise, exactly.
Rational bos_score_supremum(const Head& head) {
  Rational supremum = head.logit(head.content_flag(), kBosFlag);
  for (std::size_t k = 0; k < head.noise; ++k) {
    supremum += exact::abs(head.logit(kFirstNoise + k, kBosFlag));
  }
  return supremum;
}

}  // namespace

Proof bound_relu_row_loss(const Head& head, RowClass rows, const Effort& effort) {
  const std::size_t content = head.content_flag();
  const auto scores = score_form<double>(head, content, content);
  const auto order = influence_order(std::span(&scores, 1));
  const Rational bos_score = exact::max(0, bos_score_supremum(head));
  const Rational first =
      rows == RowClass::kPre ? exact::max(0, head.logit(kBosFlag, kBosFlag)) : Rational(0);
  struct Key {
    const char* name;
    std::size_t flag;
    std::optional<std::string> zero;  // a tree: its weights are zero
  };
  std::vector<Key> keys = {{"content", content, zero_tree(head, content, order, effort)}};
  if (rows == RowClass::kPost) {
    keys.push_back({"trigger", kTriggerFlag, zero_tree(head, kTriggerFlag, order, effort)});
  }
  json::Value parameters;
  std::vector<std::string> trees;
  for (const Key& key : keys) {
    parameters[key.name] = key.zero ? json::Value(nullptr) : json::Value::array();
    if (key.zero) trees.push_back(*key.zero);
  }
  Rational bound = 0;
  for (std::size_t r = 0; r < head.width; ++r) {
    for (const int sign : {1, -1}) {
      std::vector<Rational> products(2);  // of content keys and of the trigger
      for (std::size_t k = 0; k < keys.size(); ++k) {
        if (keys[k].zero) continue;
        ProductBound product = bound_product(head, keys[k].flag, r, sign, order, effort);
        parameters[keys[k].name].push_back(
            {exact::to_string(product.theta), exact::to_string(product.root)});
        trees.push_back(std::move(product.tree));
        products[k] = product.root * product.root / 4;
      }
      const Rational bos_value = exact::max(0, sign * head.value(r, kBosFlag));
      bound = exact::max(bound, first * bos_value);
      bound =
          exact::max(bound, row_bound(head, rows, bos_score * bos_value, products[0], products[1]));
    }
  }
  return {bound, tree_proof("relu-row", order, std::move(parameters), trees)};
}

}  // namespace sinkproof::certify
