#include "forward/series.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "exact/whole.hpp"
#include "forward/ball.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;

// Terms whose coefficients are all below this go into the remainder.
constexpr Word kSmall = Word{1} << (kSeriesBits - 23);

// |n|: a product with it is one of 128 bits.
Wide wide_size(Wide n) { return n < 0 ? -n : n; }

std::uint64_t code_of(const Term& term) {
  std::uint64_t code = 0;
  for (const Letter letter : term) code = code << 16U | letter;
  return code;
}

// Sums of coefficients by term, exact, in units of 2^-bits.
class Sums {
 public:
  Sums(std::size_t size, unsigned bits) : size_(size), bits_(bits) {}

  Wide* at(const Term& term) {
    const auto [found, is_new] = places_.try_emplace(code_of(term), terms_.size());
    if (is_new) {
      terms_.push_back(term);
      values_.resize(values_.size() + size_);
    }
    return values_.data() + found->second * size_;  // of no coordinates: perhaps null
  }

  // In units of 2^-kSeriesBits, with remainders (in these units, whole) beside those of rounding.
  Series finish(std::vector<Wide> remainder) {
    Series result(size_);
    result.terms.reserve(terms_.size());
    result.values.reserve(values_.size());
    std::vector<Word> row(size_);
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      bool is_small = true;
      for (std::size_t c = 0; c < size_; ++c) {
        const Wide exact = values_[t * size_ + c];
        const Wide floor = exact >> bits_;
        if (floor << bits_ != exact) ++remainder[c];
        row[c] = narrow(floor);
        is_small = is_small && row[c] < kSmall && row[c] > -kSmall;
      }
      if (is_small) {
        for (std::size_t c = 0; c < size_; ++c) remainder[c] += wide_size(row[c]);
      } else {
        result.terms.push_back(terms_[t]);
        result.values.insert(result.values.end(), row.begin(), row.end());
      }
    }
    for (std::size_t c = 0; c < size_; ++c) result.remainder[c] = narrow(remainder[c]);
    return result;
  }

 private:
  std::size_t size_;
  unsigned bits_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::vector<Term> terms_;
  std::vector<Wide> values_;
};

// Letters of both, of which there are at most four.
Term product(const Term& a, const Term& b) {
  Term result{};
  std::size_t i = 0;
  std::size_t j = 0;
  for (Letter& letter : result) {
    const Letter of_a = i < a.size() ? a[i] : Letter{0};
    const Letter of_b = j < b.size() ? b[j] : Letter{0};
    letter = std::max(of_a, of_b);
    of_a >= of_b ? ++i : ++j;
  }
  return result;
}

// Terms by degree.
std::vector<std::vector<std::size_t>> by_degree(const Series& x) {
  std::vector<std::vector<std::size_t>> result(kMostSeriesDegree + 1);
  for (std::size_t t = 0; t < x.terms.size(); ++t) result[degree_of(x.terms[t])].push_back(t);
  return result;
}

// Calls `each` with pairs of terms of which the product has at most the degree.
void for_pairs(const Series& a, const Series& b, std::size_t degree,
               const std::function<void(std::size_t, std::size_t)>& each) {
  const auto of_a = by_degree(a);
  const auto of_b = by_degree(b);
  for (std::size_t d = 0; d <= degree; ++d) {
    for (std::size_t e = 0; d + e <= degree; ++e) {
      for (const std::size_t s : of_a[d]) {
        for (const std::size_t t : of_b[e]) each(s, t);
      }
    }
  }
}

// What products leave of coordinates c of a and e of b beyond the degree, and their remainders: in
// units of 2^-2 kSeriesBits.
class Left {
 public:
  Left(const Series& a, const Series& b, std::size_t degree, const Alphabet& alphabet)
      : a_(a), b_(b), degree_(degree), of_a_(sizes(a, alphabet)), of_b_(sizes(b, alphabet)) {}

  [[nodiscard]] Wide of(std::size_t c, std::size_t e) const {
    Wide all_a = 0;
    Wide all_b = 0;
    Wide left = Wide{a_.remainder[c]} * b_.remainder[e];
    for (std::size_t d = 0; d <= kMostSeriesDegree; ++d) {
      const Wide size = of_a_[d * a_.size + c];
      all_a += size;
      all_b += of_b_[d * b_.size + e];
      for (std::size_t f = 0; f <= kMostSeriesDegree; ++f) {
        if (d + f > degree_) left += size * of_b_[f * b_.size + e];
      }
    }
    return left + a_.remainder[c] * all_b + b_.remainder[e] * all_a;
  }

 private:
  const Series& a_;
  const Series& b_;
  std::size_t degree_;
  std::vector<Word> of_a_;
  std::vector<Word> of_b_;
};

}  // namespace

Word narrow(Wide n) {
  if (wide_size(n) >= Wide{1} << kWordBits) throw TooCoarse();
  return static_cast<Word>(n);
}

Word ceil_shift(Wide n) { return narrow((n + kOne - 1) >> kSeriesBits); }

Word word(const exact::Integer& n) {
  if (magnitude(n) >= unit(kWordBits)) throw TooCoarse();
  return static_cast<Word>(n);
}

Word floor_word(const exact::Rational& x) { return word(exact::floor(x * unit(kSeriesBits))); }

Integer fine(Word n) { return Integer(n) << (kFineBits - kSeriesBits); }
Word up(const Integer& fine) { return word(sinkproof::ceil_shift(fine, kFineBits - kSeriesBits)); }
Word down(const Integer& fine) {
  return word(sinkproof::floor_shift(fine, kFineBits - kSeriesBits));
}

std::size_t degree_of(const Term& term) {
  return static_cast<std::size_t>(
      std::count_if(term.begin(), term.end(), [](Letter letter) { return letter != 0; }));
}

Word Series::constant(std::size_t c) const {
  const auto found = std::find(terms.begin(), terms.end(), Term{});
  if (found == terms.end()) return 0;
  return values[static_cast<std::size_t>(found - terms.begin()) * size + c];
}

FixedMap fixed_map(const exact::ScaledMatrix& map) {
  const std::size_t rows = map.entries.rows();
  const std::size_t columns = map.entries.columns() - 1;
  FixedMap result{exact::Matrix<Word>(rows, columns), std::vector<Word>(rows)};
  const auto fixed = [&](const exact::Integer& n) {
    return word(floor_div(n << kSeriesBits, map.denominator));
  };
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result.weight(i, j) = fixed(map.entries(i, j));
    result.bias[i] = fixed(map.entries(i, columns));
  }
  return result;
}

Series constant(const std::vector<Word>& values, const std::vector<Word>& remainder) {
  Series result(values.size());
  result.terms = {Term{}};
  result.values = values;
  result.remainder = remainder;
  return result;
}

Series number(Word value, Word remainder) { return constant({value}, {remainder}); }

Series first_coordinates(const Series& x, std::size_t count) {
  Series result(count);
  result.terms = x.terms;
  for (std::size_t t = 0; t < x.terms.size(); ++t) {
    const auto row = x.values.begin() + static_cast<std::ptrdiff_t>(t * x.size);
    result.values.insert(result.values.end(), row, row + static_cast<std::ptrdiff_t>(count));
  }
  std::copy_n(x.remainder.begin(), count, result.remainder.begin());
  return result;
}

Series coordinate(const Series& x, std::size_t c) {
  Series result(1);
  result.terms = x.terms;
  for (std::size_t t = 0; t < x.terms.size(); ++t) {
    result.values.push_back(x.values[t * x.size + c]);
  }
  result.remainder[0] = x.remainder[c];
  return result;
}

Series linear(const exact::Matrix<Word>& columns, Letter first) {
  Series result(columns.rows());
  for (std::size_t a = 0; a < columns.columns(); ++a) {
    result.terms.push_back({static_cast<Letter>(first + a)});
    for (std::size_t r = 0; r < columns.rows(); ++r) result.values.push_back(columns(r, a));
  }
  return result;
}

Series sum(const Series& a, const Series& b, int sign) {
  Sums sums(a.size, 0);
  for (std::size_t t = 0; t < a.terms.size(); ++t) {
    Wide* row = sums.at(a.terms[t]);
    for (std::size_t c = 0; c < a.size; ++c) row[c] += a.values[t * a.size + c];
  }
  for (std::size_t t = 0; t < b.terms.size(); ++t) {
    Wide* row = sums.at(b.terms[t]);
    for (std::size_t c = 0; c < a.size; ++c) row[c] += sign * Wide{b.values[t * b.size + c]};
  }
  std::vector<Wide> remainder(a.size);
  for (std::size_t c = 0; c < a.size; ++c) remainder[c] = Wide{a.remainder[c]} + b.remainder[c];
  return sums.finish(std::move(remainder));
}

Series times(const Series& a, Word factor) {
  Sums sums(a.size, kSeriesBits);
  for (std::size_t t = 0; t < a.terms.size(); ++t) {
    Wide* row = sums.at(a.terms[t]);
    for (std::size_t c = 0; c < a.size; ++c) row[c] = Wide{a.values[t * a.size + c]} * factor;
  }
  std::vector<Wide> remainder(a.size);
  for (std::size_t c = 0; c < a.size; ++c) {
    remainder[c] = ceil_shift(Wide{a.remainder[c]} * wide_size(factor));
  }
  return sums.finish(std::move(remainder));
}

Series apply(const exact::Matrix<Word>& weight, const Series& x) {
  Sums sums(weight.rows(), kSeriesBits);
  for (std::size_t t = 0; t < x.terms.size(); ++t) {
    Wide* row = sums.at(x.terms[t]);
    for (std::size_t r = 0; r < weight.rows(); ++r) {
      for (std::size_t s = 0; s < x.size; ++s) {
        row[r] += Wide{weight(r, s)} * x.values[t * x.size + s];
      }
    }
  }
  std::vector<Wide> remainder(weight.rows());
  for (std::size_t r = 0; r < weight.rows(); ++r) {
    Wide all = 0;
    for (std::size_t s = 0; s < x.size; ++s) all += wide_size(weight(r, s)) * x.remainder[s];
    remainder[r] = ceil_shift(all);
  }
  return sums.finish(std::move(remainder));
}

Series apply(const FixedMap& map, const Series& x) {
  Series result = apply(map.weight, x);
  Wide all = 0;
  for (std::size_t s = 0; s < x.size; ++s) all += reach(x, s);
  const Word error = ceil_shift(all) + 1;  // of weights and bias
  return sum(result, constant(map.bias, std::vector<Word>(map.bias.size(), error)));
}

Series inner(const Series& a, const Series& b, std::size_t degree, const Alphabet& alphabet) {
  Sums sums(1, kSeriesBits);
  for_pairs(a, b, degree, [&](std::size_t s, std::size_t t) {
    Wide all = 0;
    for (std::size_t c = 0; c < a.size; ++c) {
      all += Wide{a.values[s * a.size + c]} * b.values[t * b.size + c];
    }
    *sums.at(product(a.terms[s], b.terms[t])) += all;
  });
  const Left left(a, b, degree, alphabet);
  Wide all = 0;
  for (std::size_t c = 0; c < a.size; ++c) all += left.of(c, c);
  return sums.finish({ceil_shift(all)});
}

Series scaled(const Series& a, const Series& b, std::size_t degree, const Alphabet& alphabet) {
  Sums sums(b.size, kSeriesBits);
  for_pairs(a, b, degree, [&](std::size_t s, std::size_t t) {
    Wide* row = sums.at(product(a.terms[s], b.terms[t]));
    for (std::size_t c = 0; c < b.size; ++c) row[c] += Wide{a.values[s]} * b.values[t * b.size + c];
  });
  const Left left(a, b, degree, alphabet);
  std::vector<Wide> remainder(b.size);
  for (std::size_t c = 0; c < b.size; ++c) remainder[c] = ceil_shift(left.of(0, c));
  return sums.finish(std::move(remainder));
}

Series covariance(const exact::Matrix<Word>& columns, const Series& x,
                  const std::vector<std::size_t>& numbers, std::size_t degree,
                  const Alphabet& alphabet) {
  Sums sums(columns.rows(), kSeriesBits);
  const auto of_degree = by_degree(x);
  for (std::size_t d = 0; d < degree; ++d) {
    for (const std::size_t t : of_degree[d]) {
      for (std::size_t b = 0; b < x.size; ++b) {
        const Wide value = x.values[t * x.size + b];
        if (value == 0) continue;
        for (std::size_t a = 0; a < x.size; ++a) {
          const Term letter{alphabet.covariance(numbers[a], numbers[b])};
          Wide* row = sums.at(product(x.terms[t], letter));
          for (std::size_t r = 0; r < columns.rows(); ++r) row[r] += value * columns(r, a);
        }
      }
    }
  }
  // Beyond the degree, and remainders: |c_ab| <= 1.
  const std::vector<Word> by_size = sizes(x, alphabet);
  Wide all = 0;
  for (std::size_t b = 0; b < x.size; ++b) {
    all += x.remainder[b];
    for (std::size_t d = degree; d <= kMostSeriesDegree; ++d) all += by_size[d * x.size + b];
  }
  std::vector<Wide> remainder(columns.rows());
  for (std::size_t r = 0; r < columns.rows(); ++r) {
    Wide width = 0;
    for (std::size_t a = 0; a < x.size; ++a) width += wide_size(columns(r, a));
    remainder[r] = ceil_shift(narrow(width) * Wide{narrow(all)});
  }
  return sums.finish(std::move(remainder));
}

Word reach(const Series& x, std::size_t c) {
  Wide all = x.remainder[c];
  for (std::size_t t = 0; t < x.terms.size(); ++t) all += wide_size(x.values[t * x.size + c]);
  return narrow(all);
}

}  // namespace sinkproof::forward
