// The walk over trees and points against brute force and the page's formula: on random forms of
// random heads, over all vertices and over points inside the box.
#include "attention/sign_form.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "attention/logit_forms.hpp"
#include "attention/obligations.hpp"
#include "attention/point_bound.hpp"
#include "certificate/rule.hpp"

using namespace sinkproof;
using check::Coupling;
using check::Order;
using exact::Rational;

namespace {

// A form as the page writes it, number by number.
struct SignForm {
  explicit SignForm(std::size_t dimension) : linear(dimension) {}

  struct Absolute {
    Rational offset;
    std::optional<std::size_t> key;
    Rational scale = 0;
    std::vector<Rational> row;
  };

  Rational constant = 0;
  std::vector<Rational> linear;
  Rational own = 0;
  std::vector<Absolute> absolute;
  const Coupling* coupling = nullptr;

  [[nodiscard]] std::size_t dimension() const { return linear.size(); }
};

// The same form as the checker keeps it, with the rows that it is made of.
class Made {
 public:
  explicit Made(const SignForm& stated) : form_(stated.dimension()) {
    form_.coupling = stated.coupling;
    form_.own = stated.own;
    form_.sum.constant = stated.constant;
    // In two parts, one of them scaled.
    form_.sum.add(2, row(stated.linear));
    form_.sum.add(-1, row(stated.linear));
    for (const auto& term : stated.absolute) {
      if (term.key) {
        // A part of the offset as the logit of a flag, the rest scaled; and a neighbour left out.
        const check::WholeRow start = stated.coupling->of_query(0);
        const std::size_t l = *term.key;
        std::vector<Rational> offsets(stated.dimension(), 1);
        offsets[l] =
            term.offset - term.scale * exact::make_rational(start.entries[l], *start.denominator);
        offsets[l] *= 3;
        form_.of_keys.push_back({l, std::min(l + 2, stated.dimension()), l + 1,
                                 exact::make_rational(1, 3), row(offsets), term.scale,
                                 start.entries});
      } else {
        check::AffineForm& one = form_.absolute.emplace_back();
        one.constant = term.offset;
        one.add(1, row(term.row));
      }
    }
  }
  Made(const Made&) = delete;

  [[nodiscard]] const check::SignForm& form() const { return form_; }

 private:
  check::WholeRow row(const std::vector<Rational>& numbers) {
    return rows_.emplace_back(numbers).row();
  }

  std::deque<check::NoiseRow> rows_;
  check::SignForm form_;
};

Rational noise(const Coupling& coupling, std::size_t k, std::size_t l) {
  return exact::make_rational(coupling.noise(k, l), coupling.denominator());
}

Rational own(const Coupling& coupling, std::size_t k, std::size_t l) {
  return exact::make_rational(coupling.own(k, l), coupling.denominator());
}

Rational point_bound(const SignForm& form, const check::PointImage& image,
                     const std::vector<int>& signs) {
  return check::PointBound(check::WholeForm(Made(form).form()), image).at(signs);
}

using Random = std::mt19937;

Rational entry(Random& random) {
  const int numerator = static_cast<int>(random() % 41U) - 20;
  const int denominators[] = {1, 2, 3, 7, 1024};
  return exact::make_rational(numerator, denominators[random() % 5U]);
}

Coupling random_coupling(std::size_t d, Random& random) {
  exact::RationalMatrix logit(d + 3, d + 3);
  for (std::size_t k = 0; k < d + 3; ++k) {
    for (std::size_t l = 0; l < d + 3; ++l) logit(k, l) = entry(random);
  }
  return Coupling(logit);
}

// Large enough that both matrices are diagonally dominant.
certificate::Multipliers dominant(const Coupling& coupling) {
  certificate::Multipliers result;
  for (std::size_t k = 0; k < coupling.dimension(); ++k) {
    Rational keys = exact::make_rational(1, 8);
    Rational queries = keys;
    Rational twice = keys;
    for (std::size_t l = 0; l < coupling.dimension(); ++l) {
      keys += exact::abs(noise(coupling, l, k)) / 2;
      queries += exact::abs(noise(coupling, k, l)) / 2;
      twice += exact::abs(own(coupling, k, l)) / 2;
    }
    result.keys.push_back(keys);
    result.queries.push_back(queries);
    result.own.push_back(twice);
  }
  return result;
}

SignForm random_form(const Coupling& coupling, Random& random) {
  const std::size_t d = coupling.dimension();
  SignForm form(d);
  form.coupling = &coupling;
  form.constant = entry(random);
  for (Rational& a : form.linear) a = entry(random);
  if (random() % 4U != 0) form.own = entry(random);
  for (std::size_t i = random() % 4U; i > 0; --i) {
    SignForm::Absolute term{entry(random), {}, 0, {}};
    for (std::size_t k = 0; k < d; ++k) term.row.push_back(entry(random));
    form.absolute.push_back(term);
  }
  for (std::size_t i = random() % (3 * d); i > 0; --i) {
    form.absolute.push_back({entry(random), random() % d, entry(random), {}});
  }
  return form;
}

Rational value(const SignForm& form, const std::vector<Rational>& u) {
  Rational sum = form.constant;
  for (std::size_t k = 0; k < u.size(); ++k) {
    sum += form.linear[k] * u[k];
    for (std::size_t l = k + 1; l < u.size() && form.own != 0; ++l) {
      sum += form.own * own(*form.coupling, k, l) * u[k] * u[l];
    }
  }
  for (const auto& term : form.absolute) {
    Rational inside = term.offset;
    for (std::size_t k = 0; k < u.size(); ++k) {
      inside += (term.key ? term.scale * noise(*form.coupling, k, *term.key) : term.row[k]) * u[k];
    }
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

check::Images no_points() {
  return [](const Coupling*, std::size_t) -> const check::PointImage& {
    throw check::Rejected{{"SP0901", "test", "no points"}, 4};
  };
}

certificate::Point random_point(std::size_t d, Random& random) {
  certificate::Point point;
  for (std::size_t i = random() % 4U; i > 0; --i) {
    std::vector<int>& numbers = point.emplace_back();
    for (std::size_t k = 0; k < d; ++k) numbers.push_back(static_cast<int>(random() % 33U) - 16);
  }
  return point;
}

// The page's formula for a leaf with a point and nothing fixed, term by term.
Rational page_bound(const SignForm& form, const certificate::Multipliers& m,
                    const certificate::Point& point) {
  const std::size_t d = form.dimension();
  const Coupling& n = *form.coupling;
  const auto at = [&](std::size_t string, std::size_t k) {
    return string < point.size() ? exact::make_rational(point[string][k], 16) : Rational(0);
  };
  Rational largest = 0;
  for (const auto& term : form.absolute) largest = exact::max(largest, exact::abs(term.scale));
  std::vector<std::vector<SignForm::Absolute>> groups(7);
  std::vector<std::size_t> seen(d);
  Rational bound = form.constant;
  const auto stand_alone = [&](const SignForm::Absolute& term) {
    bound += exact::abs(term.offset);
    for (std::size_t k = 0; k < d; ++k) {
      bound += exact::abs(term.key ? term.scale * noise(n, k, *term.key) : term.row[k]);
    }
  };
  for (const auto& term : form.absolute) {
    const bool has_key = term.key && exact::abs(term.scale) > largest * exact::power_of_two(-20);
    const std::size_t g = has_key ? seen[*term.key]++ : groups.size();
    if (g < groups.size()) {
      groups[g].push_back(term);
    } else {
      stand_alone(term);
    }
  }
  std::vector<Rational> h = form.linear;
  for (std::size_t k = 0; k < d; ++k) {
    h[k] -= 2 * exact::abs(form.own) * m.own[k] * at(0, k);
    bound += exact::abs(form.own) * m.own[k] * (1 + at(0, k) * at(0, k));
    for (std::size_t l = 0; l < d; ++l) {
      h[k] += form.own * own(n, k, l) * at(0, l);
      bound -= form.own * own(n, k, l) * at(0, k) * at(0, l) / 2;
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].size() == 1) stand_alone(groups[g].front());
    if (groups[g].size() < 2) continue;
    Rational mean = 0;
    for (const auto& term : groups[g]) mean += exact::abs(term.scale) / groups[g].size();
    for (std::size_t k = 0; k < d; ++k) {
      h[k] -= 2 * mean * m.queries[k] * at(0, k);
      bound += mean * m.queries[k] * (1 + at(0, k) * at(0, k));
    }
    for (const auto& term : groups[g]) {
      const std::size_t l = *term.key;
      const Rational x = at(g + 1, l);
      const Rational square = term.scale * term.scale / mean * m.keys[l];
      Rational key = 0;
      for (std::size_t k = 0; k < d; ++k) {
        key += term.scale * noise(n, k, l) * at(0, k);
        h[k] += term.scale * noise(n, k, l) * x;
      }
      bound += square * (1 + x * x) - x * key + exact::abs(term.offset + key - 2 * square * x);
    }
  }
  for (const Rational& one : h) bound += exact::abs(one);
  return bound;
}

std::vector<Rational> walked(const SignForm& form, const Order& order, const std::string& tree) {
  std::vector<Rational> bounds;
  const Made made(form);
  check::walk_tree({made.form()}, order, tree, no_points(), "test",
                   [&](const std::vector<Rational>& f) { bounds.push_back(f[0]); });
  return bounds;
}

std::string refusal(const SignForm& form, const Order& order, const std::string& tree,
                    const Rational& bound) {
  try {
    certificate::Trees proof;
    proof.order = order;
    proof.trees = {tree};
    check::Obligations obligations(proof);
    const Made made(form);
    obligations.at_most(made.form(), bound, "test");
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
    const Coupling coupling = random_coupling(d, random);
    const SignForm form = random_form(coupling, random);
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
    const Coupling coupling = random_coupling(d, random);
    const SignForm form = random_form(coupling, random);
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
  exact::RationalMatrix logit(6, 6);
  logit(2, 3) = 5;
  logit(2, 4) = -7;
  logit(3, 4) = 10;
  logit(4, 3) = 1;
  const Coupling coupling(logit);
  SignForm form(3);
  form.coupling = &coupling;
  form.own = 1;
  form.constant = 1;
  form.linear = {2, -3, 0};
  form.absolute.push_back({exact::make_rational(1, 2), {}, 0, {1, -2, 4}});
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
    const Coupling coupling = random_coupling(d, random);
    const SignForm form = random_form(coupling, random);
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
  const Coupling coupling = random_coupling(3, random);
  const std::vector<SignForm> forms = {random_form(coupling, random),
                                       random_form(coupling, random)};
  const Order order = {2, 0, 1};
  std::vector<Rational> first;
  std::vector<Rational> second;
  const std::string valid = "110010100";
  const Made made[] = {Made(forms[0]), Made(forms[1])};
  check::walk_tree({made[0].form(), made[1].form()}, order, valid, no_points(), "test",
                   [&](const std::vector<Rational>& f) {
                     REQUIRE(f.size() == 2);
                     first.push_back(f[0]);
                     second.push_back(f[1]);
                   });
  CHECK(first == walked(forms[0], order, valid));
  CHECK(second == walked(forms[1], order, valid));
}

TEST_CASE("The bound at a point is the formula of the page, and above every vertex") {
  Random random(5);
  for (int repeat = 0; repeat < 150; ++repeat) {
    const std::size_t d = 2 + random() % 3U;
    Coupling coupling = random_coupling(d, random);
    const certificate::Multipliers multipliers = dominant(coupling);
    coupling.require_shown(multipliers);
    const SignForm form = random_form(coupling, random);
    const certificate::Point point = random_point(d, random);
    const check::PointImage image = coupling.image(point);
    const std::vector<int> free(d, 0);
    CHECK(point_bound(form, image, free) == page_bound(form, multipliers, point));
    CHECK(point_bound(form, image, free) >= largest(form, free));
    std::vector<int> signs(d, 0);
    for (int& sign : signs) sign = static_cast<int>(random() % 3U) - 1;
    CHECK(point_bound(form, image, signs) >= largest(form, signs));
    CHECK(point_bound(form, image, signs) <= point_bound(form, image, free));
    const Order order = random_order(d, random);
    std::vector<Rational> bounds;
    const Made made(form);
    check::walk_tree(
        {made.form()}, order, "1[7]00",
        [&](const Coupling* of, std::size_t e) -> const check::PointImage& {
          CHECK((of == &coupling && e == 7));
          return image;
        },
        "test", [&](const std::vector<Rational>& f) { bounds.push_back(f[0]); });
    std::vector<int> low(d, 0);
    low[order[0]] = -1;
    const std::vector<Rational> plain = walked(form, order, "100");
    CHECK(bounds ==
          std::vector<Rational>{exact::min(plain[0], point_bound(form, image, low)), plain[1]});
  }
}

TEST_CASE("Multipliers are shown where they dominate, and never where a vector refutes them") {
  Random random(6);
  int shown = 0;
  int refuted = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::size_t d = 2 + random() % 4U;
    Coupling coupling = random_coupling(d, random);
    certificate::Multipliers multipliers = dominant(coupling);
    const Rational factor = exact::make_rational(static_cast<int>(random() % 9U) + 8, 16);
    for (auto* list : {&multipliers.keys, &multipliers.queries, &multipliers.own}) {
      for (Rational& one : *list) one *= factor;
    }
    try {
      coupling.require_shown(multipliers);
      ++shown;
    } catch (const check::Rejected&) {
      ++refuted;
      CHECK(factor < 1);
      CHECK(coupling.multipliers() == nullptr);
      continue;
    }
    for (int trial = 0; trial < 40; ++trial) {
      std::vector<int> u(d);
      std::vector<int> w(d);
      for (std::size_t k = 0; k < d; ++k) {
        u[k] = static_cast<int>(random() % 9U) - 4;
        w[k] = static_cast<int>(random() % 9U) - 4;
      }
      Rational keys = 0;
      Rational twice = 0;
      for (std::size_t k = 0; k < d; ++k) {
        keys += multipliers.keys[k] * w[k] * w[k] + multipliers.queries[k] * u[k] * u[k];
        twice += multipliers.own[k] * (w[k] * w[k] + u[k] * u[k]);
        for (std::size_t l = 0; l < d; ++l) {
          keys -= noise(coupling, k, l) * u[k] * w[l];
          twice -= own(coupling, k, l) * u[k] * w[l];
        }
      }
      CHECK(keys >= 0);
      CHECK(twice >= 0);
    }
  }
  CHECK(shown > 30);
  CHECK(refuted > 30);
}

TEST_CASE("Malformed numbers of leaves, and numbers of no point, are refused") {
  const SignForm form(2);
  for (const std::string tree : {"[0]0", "[", "[]0", "[0]", "[00]0", "[0]1", "[-1]0", "[0 ]0",
                                 "[1234567890]0", "[0][0]0", "1[0]0"}) {
    INFO(tree);
    CHECK(refusal(form, {0, 1}, tree, 0) != "accepted");
  }
}
