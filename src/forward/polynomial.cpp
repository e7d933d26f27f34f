#include "forward/polynomial.hpp"

#include <gmp.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace sinkproof::forward {
namespace {

using exact::Integer;
using Row = std::vector<Integer>;

mpz_ptr raw(Integer& n) { return n.backend().data(); }
mpz_srcptr raw(const Integer& n) { return n.backend().data(); }

Integer magnitude(const Integer& n) { return n < 0 ? Integer(-n) : n; }

void add_product(Integer& sum, const Integer& a, const Integer& b) {
  if (a != 0 && b != 0) mpz_addmul(raw(sum), raw(a), raw(b));
}

// floor(n / divisor) in place; true when that dropped something.
bool divide(Integer& n, const Integer& divisor) {
  Integer rest;
  mpz_fdiv_qr(raw(n), raw(rest), raw(n), raw(divisor));
  return rest != 0;
}

Integer ceil_divided(Integer n, const Integer& divisor) {
  mpz_cdiv_q(raw(n), raw(n), raw(divisor));
  return n;
}

// Divides every coefficient; what is dropped goes into the remainder.
void divide_terms(Polynomials& x, const Integer& divisor, std::size_t keys) {
  for (auto& [monomial, row] : x.terms) {
    const Integer count = instances(monomial, keys);
    for (std::size_t c = 0; c < x.size; ++c) {
      if (divide(row[c], divisor)) x.remainder[c] += count;
    }
  }
}

Letters merged(const Letters& a, const Letters& b) {
  Letters result;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

// Where it belongs.
void insert(Others& others, const Letters& letters) {
  others.insert(std::upper_bound(others.begin(), others.end(), letters), letters);
}

// A product of two sums over distinct keys is one such sum for every way in which some of the
// second's keys are keys of the first: visits the others of each.
template <typename Visit>
void for_each_meeting(const Others& first, const Others& second, std::size_t next,
                      const Others& others, const Visit& visit) {
  if (next == second.size()) {
    Others sorted;
    for (const Letters& other : others) insert(sorted, other);
    return visit(sorted);
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (others[i] != first[i]) continue;  // met already
    Others meeting = others;
    meeting[i] = merged(first[i], second[next]);
    for_each_meeting(first, second, next + 1, meeting, visit);
  }
  Others apart = others;
  apart.push_back(second[next]);
  for_each_meeting(first, second, next + 1, apart, visit);
}

// For each degree, the sum of the absolute values of each coordinate's terms.
std::vector<Row> sizes(const Polynomials& x, std::size_t keys) {
  std::vector<Row> result(1, Row(x.size));
  for (const auto& [monomial, row] : x.terms) {
    const std::size_t degree = monomial.degree();
    if (result.size() <= degree) result.resize(degree + 1, Row(x.size));
    const Integer count = instances(monomial, keys);
    for (std::size_t c = 0; c < x.size; ++c) {
      add_product(result[degree][c], magnitude(row[c]), count);
    }
  }
  return result;
}

// What products of one coordinate of a and one of b leave beside their terms up to a degree.
class LeftOver {
 public:
  LeftOver(const Polynomials& a, const Polynomials& b, std::size_t keys)
      : a_(a), b_(b), first_(sizes(a, keys)), second_(sizes(b, keys)) {}

  // Of coordinate i of a and k of b, in units of 2^-2p.
  [[nodiscard]] Integer of(std::size_t i, std::size_t k, std::size_t degree) const {
    Integer result = a_.remainder[i] * b_.remainder[k];
    for (const Row& size : first_) add_product(result, size[i], b_.remainder[k]);
    for (const Row& size : second_) add_product(result, size[k], a_.remainder[i]);
    for (std::size_t d = 0; d < first_.size(); ++d) {
      for (std::size_t e = 0; e < second_.size(); ++e) {
        if (d + e > degree) add_product(result, first_[d][i], second_[e][k]);
      }
    }
    return result;
  }

 private:
  const Polynomials& a_;
  const Polynomials& b_;
  std::vector<Row> first_;
  std::vector<Row> second_;
};

// The terms up to `degree` of a product, in units of 2^-2p; `pair` adds the product of two rows of
// coefficients to a third.
template <typename Pair>
void multiply(const Polynomials& a, const Polynomials& b, std::size_t degree, const Pair& pair,
              Polynomials& product) {
  std::vector<std::vector<const std::pair<const Monomial, Row>*>> by_degree(degree + 1);
  for (const auto& term : b.terms) {
    if (term.first.degree() <= degree) by_degree[term.first.degree()].push_back(&term);
  }
  for (const auto& [first, row] : a.terms) {
    for (std::size_t d = 0; d + first.degree() <= degree; ++d) {
      for (const auto* term : by_degree[d]) {
        const Monomial& second = term->first;
        Monomial monomial{merged(first.own, second.own), merged(first.key, second.key), {}};
        for_each_meeting(first.others, second.others, 0, first.others, [&](const Others& found) {
          monomial.others = found;
          pair(row, term->second, product[monomial]);
        });
      }
    }
  }
}

bool is_even(const Letters& letters) {
  for (std::size_t i = 0; i < letters.size(); i += 2) {
    if (i + 1 == letters.size() || letters[i] != letters[i + 1]) return false;
  }
  return true;
}

// A product of squares lies between 0 and 1.
bool is_square(const Monomial& monomial) {
  return is_even(monomial.own) && is_even(monomial.key) &&
         std::all_of(monomial.others.begin(), monomial.others.end(), is_even);
}

// c + sum of a_k u_k + sum of q_km u_k u_m (k < m) + sum of w_l (b_l + sum of m_lk u_k), u the
// row's own noise and w the key's: between which numbers it lies. Given u, the key's best is at a
// corner; what is left is convex in each u_k, so that its largest value is at a corner, too.
class Corners {
 public:
  // Whether the monomial is of that form; then it is added.
  bool takes(const Monomial& monomial, const Integer& coefficient) {
    const Letters& own = monomial.own;
    const Letters& key = monomial.key;
    if (!monomial.others.empty() || own.size() + key.size() > 2 || key.size() > 1) return false;
    if (own.size() == 2 && own[0] == own[1]) return false;
    if (key.empty()) {
      if (own.empty()) {
        constant_ = coefficient;
      } else if (own.size() == 1) {
        linear_[own[0]] = coefficient;
      } else {
        linear_.try_emplace(own[0]);
        linear_.try_emplace(own[1]);
        pairs_.push_back({own[0], own[1], coefficient});
      }
    } else {
      if (!own.empty()) linear_.try_emplace(own[0]);
      of_key_[key[0]][own.empty() ? kNoLetter : own[0]] = coefficient;
    }
    return true;
  }

  [[nodiscard]] Range range() const {
    bool flat = pairs_.empty();
    for (const auto& [letter, by_own] : of_key_) {
      flat = flat && std::all_of(by_own.begin(), by_own.end(),
                                 [](const auto& entry) { return entry.first == kNoLetter; });
    }
    return flat || linear_.size() > kMostWalked ? added_up() : walked();
  }

 private:
  static constexpr std::uint16_t kNoLetter = 0xffff;
  struct Pair {
    std::uint16_t first;
    std::uint16_t second;
    Integer coefficient;
  };

  [[nodiscard]] Range added_up() const {
    Integer size = 0;
    for (const auto& [letter, a] : linear_) size += magnitude(a);
    for (const Pair& pair : pairs_) size += magnitude(pair.coefficient);
    for (const auto& [letter, by_own] : of_key_) {
      for (const auto& [own, m] : by_own) size += magnitude(m);
    }
    return {constant_ - size, constant_ + size};
  }

  // Visits all corners, each by one flip of the last.
  [[nodiscard]] Range walked() const {
    std::map<std::uint16_t, std::size_t> place;
    for (const auto& [letter, a] : linear_) place.emplace(letter, place.size());
    const std::size_t d = place.size();
    exact::Matrix<Integer> quadratic(d, d);
    for (const Pair& pair : pairs_) {
      quadratic(place[pair.first], place[pair.second]) += pair.coefficient;
      quadratic(place[pair.second], place[pair.first]) += pair.coefficient;
    }
    exact::Matrix<Integer> of_key(of_key_.size(), d);
    Row key(of_key_.size());  // at the corner at hand: b + m u
    std::size_t l = 0;
    for (const auto& [letter, by_own] : of_key_) {
      for (const auto& [own, m] : by_own) {
        if (own != kNoLetter) of_key(l, place[own]) = m;
        key[l] += own == kNoLetter ? m : Integer(-m);
      }
      ++l;
    }
    Row slope(d);  // of u_k: a_k + sum of q_km u_m; all u start at -1
    Integer value = constant_;
    Integer pairs = 0;
    for (const auto& [letter, a] : linear_) {
      const std::size_t k = place[letter];
      slope[k] = a;
      value -= a;
      for (std::size_t m = 0; m < d; ++m) {
        slope[k] -= quadratic(k, m);
        if (m < k) pairs += quadratic(k, m);
      }
    }
    value += pairs;
    std::vector<int> u(d, -1);
    Range result = at_corner(value, key);
    for (std::size_t step = 1; step < std::size_t{1} << d; ++step) {
      const auto k = static_cast<std::size_t>(std::countr_zero(step));
      u[k] = -u[k];
      const int change = 2 * u[k];
      value += change * slope[k];
      for (std::size_t m = 0; m < d; ++m) slope[m] += change * quadratic(k, m);
      for (std::size_t i = 0; i < key.size(); ++i) key[i] += change * of_key(i, k);
      const Range here = at_corner(value, key);
      result.lower = std::min(result.lower, here.lower);
      result.upper = std::max(result.upper, here.upper);
    }
    return result;
  }

  static Range at_corner(const Integer& value, const Row& key) {
    Integer swing = 0;
    for (const Integer& t : key) t < 0 ? swing -= t : swing += t;
    return {value - swing, value + swing};
  }

  Integer constant_ = 0;
  std::map<std::uint16_t, Integer> linear_;  // every own letter there is
  std::vector<Pair> pairs_;
  std::map<std::uint16_t, std::map<std::uint16_t, Integer>> of_key_;
};

}  // namespace

std::size_t Monomial::degree() const {
  std::size_t total = own.size() + key.size();
  for (const Letters& other : others) total += other.size();
  return total;
}

Row& Polynomials::operator[](const Monomial& monomial) {
  Row& row = terms[monomial];
  row.resize(size);
  return row;
}

Integer instances(const Monomial& monomial, std::size_t keys) {
  Integer count = 1;
  for (std::size_t i = 0; i < monomial.others.size(); ++i) count *= keys > i ? keys - i : 0;
  return count;
}

Polynomials constant(const Row& values) {
  Polynomials result(values.size());
  result[{}] = values;
  return result;
}

Polynomials apply(const RationalMap& map, const Polynomials& x, std::size_t keys, unsigned p) {
  Polynomials result(map.weight.rows());
  for (const auto& [monomial, row] : x.terms) {
    Row& image = result[monomial];
    for (std::size_t i = 0; i < result.size; ++i) {
      for (std::size_t j = 0; j < x.size; ++j) add_product(image[i], map.weight(i, j), row[j]);
    }
  }
  Row& middle = result[{}];
  for (std::size_t i = 0; i < result.size; ++i) {
    middle[i] += map.bias[i] << p;
    Integer spread = 0;
    for (std::size_t j = 0; j < x.size; ++j) {
      add_product(spread, magnitude(map.weight(i, j)), x.remainder[j]);
    }
    result.remainder[i] = ceil_divided(spread, map.denominator);
  }
  divide_terms(result, map.denominator, keys);
  return result;
}

void add(Polynomials& sum, const Polynomials& x, int sign) {
  for (const auto& [monomial, row] : x.terms) {
    Row& total = sum[monomial];
    for (std::size_t c = 0; c < sum.size; ++c) total[c] += sign * row[c];
  }
  for (std::size_t c = 0; c < sum.size; ++c) sum.remainder[c] += x.remainder[c];
}

Polynomials divided(const Polynomials& x, const Integer& divisor, std::size_t keys) {
  Polynomials result = x;
  for (Integer& radius : result.remainder) radius = ceil_divided(radius, divisor);
  divide_terms(result, divisor, keys);
  return result;
}

Polynomials inner(const Polynomials& a, const Polynomials& b, std::size_t degree, std::size_t keys,
                  unsigned p) {
  Polynomials result(1);
  multiply(
      a, b, degree,
      [](const Row& x, const Row& y, Row& sum) {
        for (std::size_t c = 0; c < x.size(); ++c) add_product(sum[0], x[c], y[c]);
      },
      result);
  const Integer unit = Integer(1) << p;
  const LeftOver left_over(a, b, keys);
  Integer left = 0;
  for (std::size_t c = 0; c < a.size; ++c) left += left_over.of(c, c, degree);
  result.remainder[0] = ceil_divided(left, unit);
  divide_terms(result, unit, keys);
  return result;
}

Polynomials scaled(const Polynomials& a, const Polynomials& b, std::size_t degree, std::size_t keys,
                   unsigned p) {
  Polynomials result(b.size);
  multiply(
      a, b, degree,
      [](const Row& x, const Row& y, Row& sum) {
        for (std::size_t c = 0; c < y.size(); ++c) add_product(sum[c], x[0], y[c]);
      },
      result);
  const Integer unit = Integer(1) << p;
  const LeftOver left_over(a, b, keys);
  for (std::size_t c = 0; c < b.size; ++c) {
    result.remainder[c] = ceil_divided(left_over.of(0, c, degree), unit);
  }
  divide_terms(result, unit, keys);
  return result;
}

Polynomials as_key(const Polynomials& row) {
  Polynomials result(row.size);
  for (const auto& [monomial, values] : row.terms)
    result[{{}, monomial.own, monomial.others}] = values;
  result.remainder = row.remainder;
  return result;
}

Polynomials seen_from_key(const Polynomials& row) {
  Polynomials result = row;
  for (const auto& [monomial, values] : row.terms) {
    for (std::size_t i = 0; i < monomial.others.size(); ++i) {
      Monomial seen{monomial.own, monomial.others[i], monomial.others};
      seen.others.erase(seen.others.begin() + i);
      Row& total = result[seen];
      for (std::size_t c = 0; c < row.size; ++c) total[c] += values[c];
    }
  }
  return result;
}

Polynomials sum_over_keys(const Polynomials& of_key, std::size_t keys) {
  Polynomials result(of_key.size);
  for (const auto& [monomial, values] : of_key.terms) {
    Monomial summed{monomial.own, {}, monomial.others};
    Integer count = 1;
    if (monomial.key.empty()) {
      count = Integer(keys + 1) - Integer(monomial.others.size());
    } else {
      insert(summed.others, monomial.key);
    }
    Row& total = result[summed];
    for (std::size_t c = 0; c < of_key.size; ++c) add_product(total[c], count, values[c]);
  }
  for (std::size_t c = 0; c < of_key.size; ++c) {
    result.remainder[c] = of_key.remainder[c] * (keys + 1);
  }
  return result;
}

Polynomials without_others(const Polynomials& row, std::size_t keys) {
  Polynomials result(row.size);
  result.remainder = row.remainder;
  for (const auto& [monomial, values] : row.terms) {
    if (monomial.others.empty()) {
      result[monomial] = values;
      continue;
    }
    const Integer count = instances(monomial, keys);
    for (std::size_t c = 0; c < row.size; ++c) result.remainder[c] += magnitude(values[c]) * count;
  }
  return result;
}

Range range(const Polynomials& x, std::size_t c, std::size_t keys) {
  Range rest{-x.remainder[c], x.remainder[c]};
  Corners corners;
  for (const auto& [monomial, row] : x.terms) {
    if (row[c] == 0 || corners.takes(monomial, row[c])) continue;
    const Integer reach = row[c] * instances(monomial, keys);
    const Integer size = magnitude(reach);
    const bool square = is_square(monomial);
    if (!square || reach < 0) rest.lower -= size;
    if (!square || reach > 0) rest.upper += size;
  }
  const Range main = corners.range();
  return {main.lower + rest.lower, main.upper + rest.upper};
}

void widen(Polynomials& a, const Polynomials& b, std::size_t keys) {
  Polynomials difference = b;
  difference.remainder.assign(b.size, 0);
  const std::vector<Integer> remainder = std::exchange(a.remainder, std::vector<Integer>(a.size));
  add(difference, a, -1);
  const std::vector<Row> apart_by_degree = sizes(difference, keys);
  for (std::size_t c = 0; c < a.size; ++c) {
    Integer apart = b.remainder[c];
    for (const Row& size : apart_by_degree) apart += size[c];
    a.remainder[c] = std::max(remainder[c], apart);
  }
}

}  // namespace sinkproof::forward
