// The tree walk against brute force: on random forms with cross terms and absolute values, over all
// vertices and over points inside the box.
#include "check/sign_form.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "check/obligations.hpp"
#include "check/rejected.hpp"

using namespace sinkproof;
using check::Order;
using check::SignForm;
using exact::Rational;

namespace {

using Random = std::mt19937;

Rational entry(Random& random) {
  const int numerator = static_cast<int>(random() % 41U) - 20;
  const int denominators[] = {1, 2, 3, 7, 1024};
  return exact::make_rational(numerator, denominators[random() % 5U]);
}

SignForm random_form(std::size_t d, Random& random) {
  SignForm form(d);
  form.constant = entry(random);
  for (Rational& a : form.linear) a = entry(random);
  if (random() % 4U != 0) {
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t l = k + 1; l < d; ++l) form.add_cross(k, l, entry(random));
    }
  }
  for (std::size_t i = random() % 4U; i > 0; --i) {
    SignForm::Absolute term{entry(random), {}};
    for (std::size_t k = 0; k < d; ++k) term.row.push_back(entry(random));
    form.absolute.push_back(term);
  }
  return form;
}

Rational value(const SignForm& form, const std::vector<Rational>& u) {
  Rational sum = form.constant;
  for (std::size_t k = 0; k < u.size(); ++k) {
    sum += form.linear[k] * u[k];
    for (std::size_t l = k + 1; l < u.size() && !form.cross.empty(); ++l) {
      sum += form.cross[k][l] * u[k] * u[l];
    }
  }
  for (const auto& term : form.absolute) {
    Rational inside = term.offset;
    for (std::size_t k = 0; k < u.size(); ++k) inside += term.row[k] * u[k];
    sum += exact::abs(inside);
  }
  return sum;
}

Order random_order(std::size_t d, Random& random) {
  Order order;
  for (std::size_t k = 0; k < d; ++k) order.push_back(k);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

std::string full_tree(std::size_t depth) {
  return depth == 0 ? "0" : "1" + full_tree(depth - 1) + full_tree(depth - 1);
}

std::string random_tree(std::size_t depth, Random& random) {
  if (depth == 0 || random() % 3U == 0) return "0";
  const std::string low = random_tree(depth - 1, random);
  return "1" + low + random_tree(depth - 1, random);
}

// The signs that each leaf fixes, in the order the tree is read; the others are 0.
void leaf_signs(const std::string& tree, std::size_t& at, const Order& order,
                std::vector<int>& signs, std::size_t level, std::vector<std::vector<int>>& leaves) {
  if (tree[at++] == '0') {
    leaves.push_back(signs);
    return;
  }
  for (const int s : {-1, 1}) {
    signs[order[level]] = s;
    leaf_signs(tree, at, order, signs, level + 1, leaves);
  }
  signs[order[level]] = 0;
}

std::vector<std::vector<int>> leaves_of(const std::string& tree, const Order& order) {
  std::vector<std::vector<int>> leaves;
  std::vector<int> signs(order.size(), 0);
  std::size_t at = 0;
  leaf_signs(tree, at, order, signs, 0, leaves);
  return leaves;
}

// The largest value over the vertices that agree with `signs` where those are not 0.
Rational largest(const SignForm& form, const std::vector<int>& signs) {
  bool found = false;
  Rational best = 0;
  for (unsigned bits = 0; bits < (1U << signs.size()); ++bits) {
    std::vector<Rational> u;
    bool agrees = true;
    for (std::size_t k = 0; k < signs.size(); ++k) {
      const int s = (bits >> k & 1U) != 0 ? 1 : -1;
      agrees = agrees && (signs[k] == 0 || signs[k] == s);
      u.emplace_back(s);
    }
    if (!agrees) continue;
    const Rational here = value(form, u);
    if (!found || here > best) best = here;
    found = true;
  }
  return best;
}

std::vector<Rational> walked(const SignForm& form, const Order& order, const std::string& tree) {
  std::vector<Rational> bounds;
  check::walk_tree({form}, order, tree, "test",
                   [&](const std::vector<Rational>& f) { bounds.push_back(f[0]); });
  return bounds;
}

std::string refusal(const SignForm& form, const Order& order, const std::string& tree,
                    const Rational& bound) {
  try {
    certificate::Proof proof;
    proof.order = order;
    proof.trees = {tree};
    certificate::Work work;
    const check::TreeCost cost{order.size() + 3, 1, 1};
    check::Obligations obligations(proof, cost, work);
    obligations.at_most(form, bound, "test");
    obligations.finish();
  } catch (const check::Rejected& rejected) {
    return rejected.error.what;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("The full tree gives every vertex's value") {
  Random random(1);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::size_t d = 1 + random() % 5U;
    const SignForm form = random_form(d, random);
    const Order order = random_order(d, random);
    const std::string tree = full_tree(d);
    const auto leaves = leaves_of(tree, order);
    const auto bounds = walked(form, order, tree);
    REQUIRE(leaves.size() == std::size_t{1} << d);
    REQUIRE(bounds.size() == leaves.size());
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      CHECK(bounds[i] == value(form, std::vector<Rational>(leaves[i].begin(), leaves[i].end())));
    }
  }
}

TEST_CASE("A leaf's bound is at least every vertex of its cell and every point inside") {
  Random random(2);
  for (int repeat = 0; repeat < 120; ++repeat) {
    const std::size_t d = 1 + random() % 5U;
    const SignForm form = random_form(d, random);
    const Order order = random_order(d, random);
    const std::string tree = random_tree(d, random);
    const auto leaves = leaves_of(tree, order);
    const auto bounds = walked(form, order, tree);
    REQUIRE(bounds.size() == leaves.size());
    Rational most = bounds[0];
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      CHECK(bounds[i] >= largest(form, leaves[i]));
      most = exact::max(most, bounds[i]);
    }
    for (int point = 0; point < 10; ++point) {
      std::vector<Rational> u;
      for (std::size_t k = 0; k < d; ++k) {
        u.push_back(exact::make_rational(static_cast<int>(random() % 33U) - 16, 16));
      }
      CHECK(value(form, u) <= most);
    }
  }
}

TEST_CASE("The bound of a leaf is the formula of the page") {
  // F = 1 + 2 u0 - 3 u1 + 5 u0 u1 - 7 u0 u2 + 11 u1 u2 + |1/2 + u0 - 2 u1 + 4 u2|.
  SignForm form(3);
  form.constant = 1;
  form.linear = {2, -3, 0};
  form.add_cross(0, 1, 5);
  form.add_cross(0, 2, -7);
  form.add_cross(1, 2, 11);
  form.absolute.push_back({exact::make_rational(1, 2), {1, -2, 4}});
  CHECK(walked(form, {0, 1, 2}, "0") == std::vector<Rational>{exact::make_rational(73, 2)});
  // u0 fixed: 1 -+ 2 + |-3 -+ 5| + |+-7| + 11 + |1/2 -+ 1| + 6.
  CHECK(walked(form, {0, 1, 2}, "100") ==
        std::vector<Rational>{exact::make_rational(63, 2), exact::make_rational(61, 2)});
  CHECK(walked(form, {2, 1, 0}, "100") ==
        std::vector<Rational>{1 + 9 + 14 + 5 + exact::make_rational(7, 2) + 3,
                              1 + 5 + 8 + 5 + exact::make_rational(9, 2) + 3});
}

TEST_CASE("A bound is proved when every leaf is below it, with equality and not beyond") {
  Random random(3);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::size_t d = 1 + random() % 4U;
    const SignForm form = random_form(d, random);
    const Order order = random_order(d, random);
    const Rational best = largest(form, std::vector<int>(d, 0));
    CHECK(refusal(form, order, full_tree(d), best) == "accepted");
    CHECK(refusal(form, order, full_tree(d), best - exact::power_of_two(-100)) ==
          "a leaf's bound exceeds what is claimed");
  }
}

TEST_CASE("Malformed trees are refused") {
  const SignForm form(2);
  const Order order = {1, 0};
  CHECK(refusal(form, order, "0", 0) == "accepted");
  CHECK(refusal(form, order, "1100100", 0) == "accepted");
  for (const std::string tree : {"", "1", "10", "110", "11001", "1000", "00", "01", "1100100 ", "2",
                                 "x", " 0", "11100000", "1010", "1110000"}) {
    INFO(tree);
    CHECK(refusal(form, order, tree, 0) != "accepted");
  }
  CHECK(refusal(form, order, std::string(4'194'305, '0'), 0) == "tree too large");
  CHECK(refusal(form, order, std::string("0\0", 2), 0) != "accepted");
  CHECK(refusal(SignForm(3), order, "0", 0) != "accepted");
}

TEST_CASE("All forms of a walk are bounded at the same leaf") {
  Random random(4);
  const std::vector<SignForm> forms = {random_form(3, random), random_form(3, random)};
  const Order order = {2, 0, 1};
  std::vector<Rational> first;
  std::vector<Rational> second;
  const std::string valid = "110010100";
  check::walk_tree(forms, order, valid, "test", [&](const std::vector<Rational>& f) {
    REQUIRE(f.size() == 2);
    first.push_back(f[0]);
    second.push_back(f[1]);
  });
  CHECK(first == walked(forms[0], order, valid));
  CHECK(second == walked(forms[1], order, valid));
}
