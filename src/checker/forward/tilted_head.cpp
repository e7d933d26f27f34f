#include "forward/tilted_head.hpp"

#include <algorithm>
#include <utility>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "forward/kernel_polynomials.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;
using exact::Rational;

constexpr unsigned kFine = 64;
constexpr Word kScale = 256;

Word up(const Integer& fine) { return word(sinkproof::ceil_shift(fine, kFine - kSeriesBits)); }
Word down(const Integer& fine) { return word(sinkproof::floor_shift(fine, kFine - kSeriesBits)); }
Integer fine(Word n) { return Integer(n) << (kFine - kSeriesBits); }

Word magnitude_of(Word n) { return n < 0 ? -n : n; }
Word half_up(Word n) { return (n + 1) >> 1U; }
Word product_up(Word a, Word b) { return ceil_shift(Wide{a} * b); }

Series number(Word value, Word remainder = 0) { return constant({value}, {remainder}); }

// The first coordinates.
Series without_last(const Series& x) {
  Series result(x.size - 1);
  result.terms = x.terms;
  for (std::size_t t = 0; t < x.terms.size(); ++t) {
    const auto row = x.values.begin() + static_cast<std::ptrdiff_t>(t * x.size);
    result.values.insert(result.values.end(), row, row + static_cast<std::ptrdiff_t>(result.size));
  }
  std::copy_n(x.remainder.begin(), result.size, result.remainder.begin());
  return result;
}

exact::Matrix<Word> transposed(const exact::Matrix<Word>& a) { return exact::transpose(a); }

exact::Matrix<Word> scaled_columns(const exact::Matrix<Word>& columns,
                                   const std::vector<Word>& scales) {
  exact::Matrix<Word> result = columns;
  for (std::size_t r = 0; r < columns.rows(); ++r) {
    for (std::size_t a = 0; a < columns.columns(); ++a) {
      result(r, a) = columns(r, a) / kScale * scales[a];
    }
  }
  return result;
}

Series affine(const ContentKeys& keys, const exact::Matrix<Word>& columns, Letter first) {
  Series result = constant(keys.centre, keys.remainder);
  for (std::size_t a = 0; a < columns.columns(); ++a) {
    result.terms.push_back({static_cast<Letter>(first + keys.numbers[a])});
    for (std::size_t r = 0; r < columns.rows(); ++r) result.values.push_back(columns(r, a));
  }
  return result;
}

// A group of keys: content or the row itself.
struct Group {
  Word count;
  Series mean;    // of a key, less BOS
  Series logit;   // of that
  WordRange key;  // a key's logit
  Word centre;    // of it: a constant
  Word share;     // of exp(centre), of all
};

void set_shares(std::vector<Group>& groups, Word& error, Rational& log_of_sum, Word& top) {
  top = groups.front().centre;
  for (const Group& group : groups) top = std::max(top, group.centre);
  std::vector<Range> kernels;
  Integer sum_least = 0;
  Integer sum_most = 0;
  for (const Group& group : groups) {
    const Integer at = fine(group.centre - top);
    const Range kernel = exponential({at, at}, kFine);
    kernels.push_back({kernel.lower * group.count, kernel.upper * group.count});
    sum_least += kernels.back().lower;
    sum_most += kernels.back().upper;
  }
  // Rounded, but for the first group, which has what is left.
  Word left = kOne;
  for (std::size_t g = groups.size(); g-- > 0;) {
    groups[g].share = g == 0 ? left : word(floor_div(kernels[g].lower << kSeriesBits, sum_least));
    left -= groups[g].share;
  }
  error = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Word share = groups[g].share;
    if (share <= 0) throw TooCoarse();
    // |ln(p / p')| <= |p - p'| / min(p, p'), here for shares of exact kernels.
    const Integer most = ceil_div(kernels[g].upper << kSeriesBits, sum_least);
    const Integer fewest = floor_div(kernels[g].lower << kSeriesBits, sum_most);
    const Integer apart = std::max(Integer(most - share), Integer(share - fewest));
    const Integer lowest = std::min(Integer(share), fewest);
    if (lowest <= 0) throw TooCoarse();
    error = std::max(error, word(ceil_div(apart << kSeriesBits, lowest)));
  }
  log_of_sum = exact::make_rational(sum_least, unit(kFine));
}

// The logarithm of the sum of exp over all keys, where each logit is at one end of its range.
Word log_of_sum_at(const std::vector<Group>& groups, Word WordRange::*end, bool is_up) {
  Word top = groups.front().key.*end;
  for (const Group& group : groups) top = std::max(top, group.key.*end);
  Integer all = 0;
  for (const Group& group : groups) {
    const Integer at = fine(group.key.*end - top);
    const Range kernel = exponential({at, at}, kFine);
    all += (is_up ? kernel.upper : kernel.lower) * group.count;
  }
  const Range log = logarithm(exact::make_rational(all, unit(kFine)), kFine);
  return top + (is_up ? up(log.upper) : down(log.lower));
}

// The logistic function of a polynomial between two numbers.
Series logistic_of(const Series& x, const WordRange& at, std::size_t degree,
                   const Alphabet& alphabet) {
  const Word c = at.lower + (at.upper - at.lower) / 2;
  const Word r = std::max<Word>(1, std::max(at.upper - c, c - at.lower));
  const auto between = [](Word least, Word most) {
    return Range{logistic({fine(least), fine(least)}, kFine).lower,
                 logistic({fine(most), fine(most)}, kFine).upper};
  };
  const std::vector<Range> there = logistic_derivatives(between(c, c), degree, kFine);
  const Range last = logistic_derivatives(between(at.lower, at.upper), degree + 1, kFine).back();
  Word rest = up(std::max(magnitude(last.lower), magnitude(last.upper)));
  for (std::size_t m = 0; m <= degree; ++m) rest = product_up(rest, r);
  const Series step = sum(x, number(c), -1);
  Series result(1);
  for (std::size_t m = degree + 1; m-- > 0;) {
    const Word low = down(there[m].lower);
    if (m != degree) result = scaled(result, step, degree, alphabet);
    result = sum(result, number(low, up(there[m].upper) - low));
  }
  result.remainder[0] = narrow(Wide{result.remainder[0]} + rest);
  return result;
}

}  // namespace

Series mean_of(const SeenKeys& seen, const KeyLetters& letters) {
  return affine(*seen.keys, scaled_columns(seen.keys->columns, seen.mean), letters.mean);
}

Series one_of(const ContentKeys& keys, const KeyLetters& letters) {
  return affine(keys, keys.columns, letters.key);
}

TiltedHead tilted(const FixedHead& head, const Series& row, const Series& bos, const SeenKeys& seen,
                  const KeyLetters& letters, std::size_t degree, const Alphabet& alphabet) {
  const std::size_t n = row.size;
  const std::size_t logit_degree = std::max<std::size_t>(2, degree);
  const Series query = without_last(apply(head.query, row));
  const auto logit = [&](const Series& key) { return inner(query, key, logit_degree, alphabet); };

  std::vector<Group> groups;
  std::vector<WordRange> reaches(n);  // of all keys, less BOS
  const auto add_group = [&](std::size_t count, const Series& mean, const Series& key) {
    Group group{static_cast<Word>(count), sum(mean, bos, -1), {}, {}, 0, 0};
    const Series one = sum(key, bos, -1);
    group.logit = logit(group.mean);
    group.key = range(logit(one), 0, alphabet);
    group.centre = group.key.lower + (group.key.upper - group.key.lower) / 2;
    for (std::size_t r = 0; r < n; ++r) {
      const Word centre = one.constant(r);
      const Word around = reach(one, r) - magnitude_of(centre);
      WordRange& all = reaches[r];
      if (groups.empty()) all = {centre - around, centre + around};
      all = {std::min(all.lower, centre - around), std::max(all.upper, centre + around)};
    }
    groups.push_back(std::move(group));
  };
  if (seen.count > 0) {
    add_group(seen.count, mean_of(seen, letters), one_of(*seen.keys, letters));
  }
  add_group(1, row, row);

  Word error = 0;
  Rational sum_of_kernels;
  Word top = 0;
  set_shares(groups, error, sum_of_kernels, top);

  // Logits less their centres, and how far they are from a number at most.
  Word least = 0;
  Word most = 0;
  for (Group& group : groups) {
    group.logit = sum(group.logit, number(group.centre), -1);
    least = std::min(least, group.key.lower - group.centre);
    most = std::max(most, group.key.upper - group.centre);
  }
  const Word radius = half_up(most - least);
  // Of keys' remainders, which the letters of keys do not say, and of shares.
  Word loose = error;
  if (seen.count > 0) {
    Wide all = 0;
    for (std::size_t r = 0; r < n; ++r) all += Wide{reach(query, r)} * seen.keys->remainder[r];
    loose += 2 * ceil_shift(all);
  }
  Word square = product_up(radius, radius);

  Series mean(n);
  Series drift(1);  // of logits
  for (const Group& group : groups) {
    mean = sum(mean, times(group.mean, group.share));
    drift = sum(drift, times(group.logit, group.share));
  }
  Series variance(1);
  if (seen.count > 1) {
    const exact::Matrix<Word> spread = scaled_columns(seen.keys->columns, seen.spread);
    const Series slopes = apply(transposed(spread), query);
    const Word share = groups.front().share;
    mean = sum(mean, times(covariance(spread, slopes, seen.keys->numbers, degree, alphabet), share));
    exact::Matrix<Word> same(slopes.size, slopes.size);
    for (std::size_t a = 0; a < slopes.size; ++a) same(a, a) = kOne;
    const Series with = covariance(same, slopes, seen.keys->numbers, degree, alphabet);
    variance = times(inner(with, slopes, degree, alphabet), share);
  }
  if (groups.size() == 2) {
    const Word both = ceil_shift(Wide{groups[0].share} * groups[1].share);
    const Series apart = sum(groups[0].logit, groups[1].logit, -1);
    const Series between = sum(groups[0].mean, groups[1].mean, -1);
    // p_0 p_1 is within a unit of `both`.
    const Series moved = scaled(apart, between, degree, alphabet);
    mean = sum(mean, times(moved, both));
    for (std::size_t r = 0; r < n; ++r) mean.remainder[r] += 1 + (reach(moved, r) >> kSeriesBits);
    const Series squared = inner(apart, apart, degree, alphabet);
    variance = sum(variance, times(squared, both));
    variance.remainder[0] += 1 + (reach(squared, 0) >> kSeriesBits);
  }
  for (std::size_t r = 0; r < n; ++r) {
    const Word width = half_up(reaches[r].upper - reaches[r].lower);
    Wide all = Wide{mean.remainder[r]} + product_up(half_up(square) + loose, width);
    // The covariance of logits and keys' remainders.
    if (seen.count > 0) all += product_up(radius, seen.keys->remainder[r]);
    mean.remainder[r] = narrow(all);
  }

  // The logarithm of the sum of exp(logit), all keys but BOS.
  const Range log_of_sum = logarithm(sum_of_kernels, kFine);
  const Word base = down(log_of_sum.lower);
  Series together = sum(drift, times(variance, kOne / 2));
  together = sum(together, number(top + base, up(log_of_sum.upper) - base + 1));
  together.remainder[0] = narrow(Wide{together.remainder[0]} + loose +
                                 product_up(square, radius) / 6 + 1);
  WordRange at = range(together, 0, alphabet);
  at.lower = std::max(at.lower, log_of_sum_at(groups, &WordRange::lower, false));
  at.upper = std::min(at.upper, log_of_sum_at(groups, &WordRange::upper, true));
  TiltedHead result;
  const auto bos_share = [&](Word logit_of_others) {
    return logistic({fine(-logit_of_others), fine(-logit_of_others)}, kFine);
  };
  result.bos = {bos_share(at.upper).lower, bos_share(at.lower).upper};
  result.others = logistic_of(together, at, degree, alphabet);
  result.mean = std::move(mean);
  return result;
}

}  // namespace sinkproof::forward
