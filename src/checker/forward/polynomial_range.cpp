#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "exact/whole.hpp"
#include "forward/polynomial.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;

__extension__ using Wide = __int128;

Wide size_of(Wide n) { return n < 0 ? -n : n; }

Integer whole(Wide n) {
  return (Integer(static_cast<std::int64_t>(n >> 64)) << 64U) + static_cast<std::uint64_t>(n);
}

// For |n| < 2^126.
Wide wide(const Integer& n) {
  const Integer size = magnitude(n);
  const auto high = static_cast<std::uint64_t>(Integer(size >> 64U));
  const auto low = static_cast<std::uint64_t>(Integer(size & ~std::uint64_t{0}));
  const Wide value = (static_cast<Wide>(high) << 64U) + low;
  return n < 0 ? -value : value;
}

// The letters of odd power, each once.
Letters odd_part(const Letters& letters) {
  Letters result;
  for (const std::uint32_t letter : letters) {
    if (!result.empty() && result.back() == letter) {
      result.pop_back();
    } else {
      result.push_back(letter);
    }
  }
  return result;
}

bool is_squarefree(const Letters& letters) {
  return std::adjacent_find(letters.begin(), letters.end()) == letters.end();
}

// A sum of terms, each linear in every letter: between which numbers it lies on the box. Terms of
// the same letters beside the row's own are a polynomial q in these; at a corner u of the own
// noise, the sum lies within the others' |q(u)| of the first's. As |q| is convex in each letter,
// the corners decide. What is in one key and what is in two is bounded together, for letters l and
// m (and for l alone as of the pivot r and l).
class Corners {
 public:
  Corners(std::optional<std::uint32_t> pivot, std::size_t keys) : pivot_(pivot), keys_(keys) {}

  // What the monomial stands for sums up to `total`, which is not 0.
  void add(const Monomial& monomial, const Integer& total) {
    Monomial odd{odd_part(monomial.own), odd_part(monomial.key), {}};
    bool squarefree = is_squarefree(monomial.own) && is_squarefree(monomial.key);
    if (is_joined_square(monomial)) {
      odd.others = monomial.others;
    } else {
      for (const Letters& other : monomial.others) {
        squarefree = squarefree && is_squarefree(other);
        const Letters part = odd_part(other);
        if (!part.empty()) {
          odd.others.insert(std::upper_bound(odd.others.begin(), odd.others.end(), part), part);
        }
      }
    }
    if (squarefree) {
      add_linear(odd, total);
    } else if (odd.degree() == 0) {
      (total < 0 ? below_ : above_) += total;
    } else {
      // A product of squares is 1/2, give or take 1/2.
      const Integer half = floor_div(total, 2);
      const Integer rest = std::max(magnitude(half), magnitude(total - half));
      add_linear(odd, half);
      below_ -= rest;
      above_ += rest;
    }
  }

  [[nodiscard]] Range range() const {
    Integer all = 0;
    for (const auto& [beside, by_own] : terms_) all += size(by_own);
    // What follows is sums of some of the terms, times at most 16 (keys + 1), or of their
    // negatives.
    constexpr unsigned kMostBits = 122;
    if (all * (keys_ + 1) >= Integer(1) << kMostBits) return {below_ - all, above_ + all};
    const Walk walk = walked();
    std::optional<Ends> ends;
    for (std::size_t u = 0; u < walk.ends.size(); ++u) {
      std::optional<Ends> by_pair;
      std::optional<Ends> by_letter;
      for (const int sign : {1, -1}) {
        for (const Means& means : kMeans) {
          const Reach reach = reach_of(walk, u, sign, means);
          include(by_pair, reach.around(walk.ends[u], reach.by_pair));
          include(by_letter, reach.around(walk.ends[u], reach.by_letter));
        }
      }
      include(ends, {std::max(by_pair->first, by_letter->first),
                     std::min(by_pair->second, by_letter->second)});
    }
    return {floor_div(whole(ends->first), whole(unit())) - walk.swing + below_,
            ceil_div(whole(ends->second), whole(unit())) + walk.swing + above_};
  }

 private:
  using ByOwn = std::map<Letters, Integer>;
  // Values at the corners of the walked letters.
  using Values = std::vector<Wide>;
  // What is beside l (with r), beside l m of one key, and beside l and m of two.
  enum Kind : std::uint8_t { kSingle, kProduct, kPair };
  using Joined = std::array<Values, 3>;
  using Two = std::pair<std::uint32_t, std::uint32_t>;  // letters, in order
  using Ends = std::pair<Wide, Wide>;                   // of a range

  // Four times the mean of the keys' letter r, and of its square: these, mirrored, span a strip
  // around the parabola of all there can be.
  struct Means {
    Wide mean;
    Wide square;
  };
  static constexpr std::array<Means, 3> kMeans = {{{4, 4}, {3, 2}, {1, 0}}};

  [[nodiscard]] Wide pairs() const {
    return static_cast<Wide>(std::max<std::size_t>(2, keys_) - 1);
  }

  [[nodiscard]] bool is_joined_square(const Monomial& monomial) const {
    return pivot_ && monomial.key.empty() && monomial.others.size() == 1 &&
           monomial.others.front().size() == 2 && !is_squarefree(monomial.others.front());
  }

  // The letters and the kind of what is joined.
  [[nodiscard]] std::optional<std::pair<Two, Kind>> joined(const Monomial& beside) const {
    const Others& others = beside.others;
    if (!pivot_ || !beside.key.empty() || others.empty() || beside.degree() > 2) return {};
    const std::uint32_t first = others.front().front();
    if (beside.degree() == 1) return {{std::minmax({first, *pivot_}), kSingle}};
    return {{{first, others.back().back()}, others.size() == 1 ? kProduct : kPair}};
  }

  [[nodiscard]] Wide unit() const { return 8 * pairs(); }

  // `unit()` times what is beside two letters at a corner.
  struct Beside {
    Wide a;
    Wide p;
    Wide b;
  };
  [[nodiscard]] Beside beside(const Joined& terms, std::size_t u) const {
    return {pairs() * terms[kSingle][u], pairs() * terms[kProduct][u] - terms[kPair][u],
            static_cast<Wide>(keys_) * terms[kPair][u]};
  }

  // What is beside a letter and the pivot, at each corner; and of the pairs it is in, of two
  // letters neither of which is the pivot, what covariances and what products of means may add.
  struct OfLetter {
    Joined with_pivot;
    Values covariances;
    Values products;

    explicit OfLetter(std::size_t corners)
        : with_pivot{Values(corners), Values(corners), Values(corners)},
          covariances(corners),
          products(corners) {}
  };

  // At each corner: all that is walked, but what is joined with the pivot and of two distinct
  // letters; and what pairs of two letters, neither of them the pivot, may add one by one.
  struct Walk {
    std::vector<Ends> ends;
    Values each;
    std::map<std::uint32_t, OfLetter> letters;
    Integer swing = 0;  // of terms that are not walked

    OfLetter& of(std::uint32_t letter) {
      return letters.try_emplace(letter, ends.size()).first->second;
    }
  };
  void add_apart(Walk& walk, const Two& two, const Joined& terms) const {
    OfLetter& first = walk.of(two.first);
    OfLetter& second = walk.of(two.second);
    for (std::size_t u = 0; u < walk.ends.size(); ++u) {
      const auto [a, p, b] = beside(terms, u);
      walk.each[u] += 8 * std::max(size_of(p), size_of(p + b));
      for (OfLetter* letter : {&first, &second}) {
        letter->covariances[u] += 4 * size_of(p);
        letter->products[u] += 4 * size_of(p + b);
      }
    }
  }

  // What all joined terms of two distinct letters add at most in absolute value, pair by pair and
  // letter by letter, around what the pivot's square adds.
  struct Reach {
    Ends centre;
    Wide by_pair = 0;
    Wide by_letter = 0;
    [[nodiscard]] Ends around(const Ends& ends, const Wide& reach) const {
      return {ends.first + centre.first - reach, ends.second + centre.second + reach};
    }
  };
  // Where `sign` times the mean of letter r is `means`.
  [[nodiscard]] Reach reach_of(const Walk& walk, std::size_t u, int sign,
                               const Means& means) const {
    const auto [mean, square] = means;
    Reach reach{{0, 0}, walk.each[u]};
    for (const auto& [letter, of] : walk.letters) {
      auto [a, p, b] = beside(of.with_pivot, u);
      a *= sign;
      if (letter == pivot_) {
        const Wide centre = 2 * mean * a + 2 * square * b;
        add(reach.centre,
            {centre + 2 * std::min(square * p, 4 * p), centre + 2 * std::max(square * p, 4 * p)});
        continue;
      }
      reach.by_pair += size_of(4 * (a + p) + mean * (a + p + b) + square * b) +
                       size_of(4 * (a - p) + mean * (b + p - a) - square * b);
      reach.by_letter += 8 * size_of(p) + most_of_letter(size_of(8 * a + 2 * mean * b),
                                                         of.covariances[u], of.products[u]);
    }
    return reach;
  }

  // At least slope x + covariance (1 - x^2) + product x^2 for all x in [0,1], all of them >= 0.
  static Wide most_of_letter(const Wide& slope, const Wide& covariance, const Wide& product) {
    return std::max({covariance + (slope + 3) / 4, (covariance + product) / 2 + slope - slope / 4,
                     slope + product});
  }

  [[nodiscard]] Walk walked() const {
    const std::vector<std::uint32_t> letters = walked_letters();
    const std::size_t corners = std::size_t{1} << letters.size();
    Walk walk{std::vector<Ends>(corners), Values(corners), {}};
    std::map<Two, Joined> together;
    for (const auto& [beside, by_own] : terms_) {
      if (!is_walked(beside, by_own)) {
        walk.swing += size(by_own);
        continue;
      }
      Values values = at_corners(by_own, letters, walk.swing);
      if (const auto found = joined(beside)) {
        Joined& all = together[found->first];
        for (Values& of_kind : all) of_kind.resize(corners);
        all[found->second] = std::move(values);
        continue;
      }
      for (std::size_t u = 0; u < corners; ++u) {
        const Wide value = unit() * values[u];
        add(walk.ends[u],
            beside.degree() == 0 ? Ends{value, value} : Ends{-size_of(value), size_of(value)});
      }
    }
    for (auto& [two, terms] : together) {
      if (two.first == pivot_ || two.second == pivot_) {
        const std::uint32_t letter = two.first == pivot_ ? two.second : two.first;
        walk.of(letter).with_pivot = std::move(terms);
      } else if (two.first != two.second) {
        add_apart(walk, two, terms);
      } else {
        for (std::size_t u = 0; u < corners; ++u) {
          const auto [a, p, b] = beside(terms, u);
          add(walk.ends[u], {8 * std::min({Wide{0}, p, p + b}), 8 * std::max({Wide{0}, p, p + b})});
        }
      }
    }
    return walk;
  }

  static void add(Ends& sum, const Ends& ends) {
    sum.first += ends.first;
    sum.second += ends.second;
  }

  static void include(std::optional<Ends>& all, const Ends& ends) {
    if (!all) all = ends;
    all = {std::min(all->first, ends.first), std::max(all->second, ends.second)};
  }

  static Integer size(const ByOwn& by_own) {
    Integer sum = 0;
    for (const auto& [own, total] : by_own) sum += magnitude(total);
    return sum;
  }

  void add_linear(const Monomial& monomial, const Integer& total) {
    terms_[{{}, monomial.key, monomial.others}][monomial.own] += total;
  }

  [[nodiscard]] bool is_walked(const Monomial& beside, const ByOwn& by_own) const {
    return beside.degree() == 0 || joined(beside) ||
           (beside.degree() <= kMostTogether && by_own.size() > 1);
  }

  // Own letters that occur beside others: the first of them.
  [[nodiscard]] std::vector<std::uint32_t> walked_letters() const {
    std::set<std::uint32_t> found;
    for (const auto& [beside, by_own] : terms_) {
      if (!is_walked(beside, by_own)) continue;
      for (const auto& [own, total] : by_own) {
        if (beside.degree() > 0 || own.size() > 1) found.insert(own.begin(), own.end());
      }
    }
    std::vector<std::uint32_t> result(found.begin(), found.end());
    result.resize(std::min(result.size(), kMostWalked));
    return result;
  }

  // The values at all corners of the walked letters; of terms with other letters, absolute values
  // go into `swing`.
  static Values at_corners(const ByOwn& by_own, const std::vector<std::uint32_t>& walked,
                           Integer& swing) {
    Values values(std::size_t{1} << walked.size());
    for (const auto& [own, total] : by_own) {
      std::size_t corner = 0;
      for (std::size_t k = 0; k < walked.size(); ++k) {
        if (std::binary_search(own.begin(), own.end(), walked[k])) corner |= std::size_t{1} << k;
      }
      if (std::includes(walked.begin(), walked.end(), own.begin(), own.end())) {
        values[corner] = wide(total);
      } else {
        swing += magnitude(total);
      }
    }
    // From coefficients to values, one letter after the other.
    for (std::size_t step = 1; step < values.size(); step *= 2) {
      for (std::size_t block = 0; block < values.size(); block += 2 * step) {
        for (std::size_t u = block; u < block + step; ++u) {
          const Wide with = values[u + step];
          values[u + step] = values[u] + with;
          values[u] -= with;
        }
      }
    }
    return values;
  }

  std::optional<std::uint32_t> pivot_;
  std::size_t keys_;
  std::map<Monomial, ByOwn> terms_;  // by what they hold beside own letters
  Integer below_ = 0;
  Integer above_ = 0;
};

}  // namespace

Range range(const Polynomials& x, std::size_t c, std::size_t keys,
            std::optional<std::uint32_t> pivot) {
  Corners corners(pivot, keys);
  for (const auto& [monomial, row] : x.terms) {
    const Integer total = row[c] * instances(monomial, keys);
    if (total != 0) corners.add(monomial, total);
  }
  const Range result = corners.range();
  return {result.lower - x.remainder[c], result.upper + x.remainder[c]};
}

}  // namespace sinkproof::forward
