#include "forward/polynomial.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "exact/whole.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;
using Row = std::vector<Integer>;

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

// Coordinate i of one factor times k of the other adds to coordinate c of a product.
struct Pair {
  std::size_t i;
  std::size_t k;
  std::size_t c;
};

// What a product's terms up to a degree leave of it, for each coordinate: its other terms, and
// those with remainders. In units of 2^-2p.
Row left_over(const Polynomials& a, const Polynomials& b, const std::vector<Pair>& pairs,
              std::size_t size, std::size_t degree, std::size_t keys) {
  const std::vector<Row> first = sizes(a, keys);
  const std::vector<Row> second = sizes(b, keys);
  Row result(size);
  for (const auto& [i, k, c] : pairs) {
    Integer& left = result[c];
    add_product(left, a.remainder[i], b.remainder[k]);
    for (const Row& of : first) add_product(left, of[i], b.remainder[k]);
    for (const Row& of : second) add_product(left, of[k], a.remainder[i]);
    for (std::size_t d = 0; d < first.size(); ++d) {
      for (std::size_t e = 0; e < second.size(); ++e) {
        if (d + e > degree) add_product(left, first[d][i], second[e][k]);
      }
    }
  }
  return result;
}

// A product of `size` coordinates: of its terms those up to `degree` for whose others there are
// keys enough.
Polynomials multiplied(const Polynomials& a, const Polynomials& b, const std::vector<Pair>& pairs,
                       std::size_t size, std::size_t degree, std::size_t keys, unsigned p) {
  Polynomials product(size);
  std::vector<std::vector<const std::pair<const Monomial, Row>*>> by_degree(degree + 1);
  for (const auto& term : b.terms) {
    if (term.first.degree() <= degree) by_degree[term.first.degree()].push_back(&term);
  }
  for (const auto& left : a.terms) {
    const Monomial& first = left.first;
    for (std::size_t d = 0; d + first.degree() <= degree; ++d) {
      for (const auto* right : by_degree[d]) {
        const Monomial& second = right->first;
        Monomial monomial{merged(first.own, second.own), merged(first.key, second.key), {}};
        for_each_meeting(first.others, second.others, 0, first.others, [&](const Others& found) {
          if (found.size() > keys) return;
          monomial.others = found;
          Row& sum = product[monomial];
          for (const auto& [i, k, c] : pairs) {
            add_product(sum[c], left.second[i], right->second[k]);
          }
        });
      }
    }
  }
  product.remainder = left_over(a, b, pairs, size, degree, keys);
  return divided(std::move(product), unit(p), keys);
}

// Takes the letter out once; false if it is not there.
bool take(std::uint32_t letter, Letters& letters) {
  const auto found = std::find(letters.begin(), letters.end(), letter);
  if (found == letters.end()) return false;
  letters.erase(found);
  return true;
}

// As `take`, from the first of the others that has it, which becomes the key. Precondition: no key.
bool take_from_other(std::uint32_t letter, Monomial& monomial) {
  for (Letters& other : monomial.others) {
    if (!take(letter, other)) continue;
    monomial.key = other;
    monomial.others.erase(monomial.others.begin() + (&other - monomial.others.data()));
    return true;
  }
  return false;
}

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

Polynomials intervals(const std::vector<Range>& ranges) {
  Polynomials result(ranges.size());
  Row& middle = result[{}];
  for (std::size_t c = 0; c < result.size; ++c) {
    middle[c] = floor_div(ranges[c].lower + ranges[c].upper, 2);
    result.remainder[c] = ranges[c].upper - middle[c];
  }
  return result;
}

Polynomials interval(const Range& range) { return intervals({range}); }

Polynomials apply(const exact::ScaledMatrix& map, const Polynomials& x, std::size_t keys,
                  unsigned p) {
  Polynomials result(map.rows());
  Row& middle = result[{}];
  for (std::size_t i = 0; i < result.size; ++i) {
    middle[i] = map.entries(i, x.size) << p;
    for (std::size_t j = 0; j < x.size; ++j) {
      add_product(result.remainder[i], magnitude(map.entries(i, j)), x.remainder[j]);
    }
  }
  for (const auto& [monomial, row] : x.terms) {
    Row& image = result[monomial];
    for (std::size_t i = 0; i < result.size; ++i) {
      for (std::size_t j = 0; j < x.size; ++j) add_product(image[i], map.entries(i, j), row[j]);
    }
  }
  return divided(std::move(result), map.denominator, keys);
}

void add(Polynomials& sum, const Polynomials& x, int sign) {
  for (const auto& [monomial, row] : x.terms) {
    Row& total = sum[monomial];
    for (std::size_t c = 0; c < sum.size; ++c) total[c] += sign * row[c];
  }
  for (std::size_t c = 0; c < sum.size; ++c) sum.remainder[c] += x.remainder[c];
}

Polynomials divided(Polynomials x, const Integer& divisor, std::size_t keys) {
  for (Integer& radius : x.remainder) radius = ceil_div(std::move(radius), divisor);
  Integer rest;
  for (auto& [monomial, row] : x.terms) {
    const Integer count = instances(monomial, keys);
    for (std::size_t c = 0; c < x.size; ++c) {
      mpz_fdiv_qr(raw(row[c]), raw(rest), raw(row[c]), raw(divisor));
      if (rest != 0) x.remainder[c] += count;  // what is dropped
    }
  }
  return x;
}

Polynomials inner(const Polynomials& a, const Polynomials& b, std::size_t degree, std::size_t keys,
                  unsigned p) {
  std::vector<Pair> pairs;
  for (std::size_t c = 0; c < a.size; ++c) pairs.push_back({c, c, 0});
  return multiplied(a, b, pairs, 1, degree, keys, p);
}

Polynomials scaled(const Polynomials& a, const Polynomials& b, std::size_t degree, std::size_t keys,
                   unsigned p) {
  std::vector<Pair> pairs;
  for (std::size_t c = 0; c < b.size; ++c) pairs.push_back({0, c, c});
  return multiplied(a, b, pairs, b.size, degree, keys, p);
}

Polynomials as_key(const Polynomials& row) {
  Polynomials result(row.size);
  for (const auto& [monomial, values] : row.terms) {
    result[{{}, monomial.own, monomial.others}] = values;
  }
  result.remainder = row.remainder;
  return result;
}

Polynomials seen_from_key(const Polynomials& row, std::size_t keys) {
  Polynomials result = row;
  for (const auto& [monomial, values] : row.terms) {
    for (const Letters& other : monomial.others) {
      const auto place = &other - monomial.others.data();
      Monomial seen{monomial.own, other, monomial.others};
      seen.others.erase(seen.others.begin() + place);
      Row& total = result[seen];
      for (std::size_t c = 0; c < row.size; ++c) total[c] += values[c];
    }
  }
  std::erase_if(result.terms, [&](const auto& term) { return term.first.others.size() > keys; });
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

Polynomials substituted(const Polynomials& x, const std::vector<Definition>& definitions,
                        std::size_t degree, std::size_t keys, unsigned p) {
  if (definitions.empty()) return x;
  const auto of_these = [&](const Letters& letters) {
    return std::count_if(letters.begin(), letters.end(), [&](std::uint32_t letter) {
      return letter >= definitions.front().letter && letter <= definitions.back().letter;
    });
  };
  const auto is_replaced = [&](const Monomial& monomial) {
    std::size_t open = monomial.degree() + of_these(monomial.own) + of_these(monomial.key);
    for (const Letters& other : monomial.others) open += of_these(other);
    return open <= degree;
  };
  const bool has_key = std::any_of(x.terms.begin(), x.terms.end(),
                                   [](const auto& term) { return !term.first.key.empty(); });
  Polynomials result = x;
  for (const Definition& definition : definitions) {
    const bool to_sum = definition.of_key && !has_key;
    const std::size_t others = to_sum && keys > 0 ? keys - 1 : keys;
    while (true) {
      Polynomials factor(x.size);
      std::erase_if(result.terms, [&](const auto& term) {
        Monomial rest = term.first;
        const bool taken =
            is_replaced(rest) &&
            (to_sum ? take_from_other(definition.letter, rest)
                    : take(definition.letter, definition.of_key ? rest.key : rest.own));
        if (taken) {
          Row& sum = factor[rest];
          for (std::size_t c = 0; c < x.size; ++c) sum[c] += term.second[c];
        }
        return taken;
      });
      if (factor.terms.empty()) break;
      const Polynomials product = scaled(definition.value, factor, degree, others, p);
      add(result, to_sum ? sum_over_keys(product, others) : product, 1);
    }
  }
  return result;
}

Integer reach(const Polynomials& x, std::size_t c, std::size_t keys) {
  Integer sum = x.remainder[c];
  for (const auto& [monomial, row] : x.terms) {
    add_product(sum, magnitude(row[c]), instances(monomial, keys));
  }
  return sum;
}

void widen(Polynomials& a, const Polynomials& b, std::size_t keys) {
  const std::vector<Integer> remainder = std::exchange(a.remainder, std::vector<Integer>(a.size));
  Polynomials difference = b;
  add(difference, a, -1);
  for (std::size_t c = 0; c < a.size; ++c) {
    a.remainder[c] = std::max(remainder[c], reach(difference, c, keys));
  }
}

}  // namespace sinkproof::forward
