#include "forward/tilted_head.hpp"

#include <algorithm>
#include <utility>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "forward/kernel_polynomials.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;

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
  Series mean;                    // of a key, less BOS
  Series logit;                   // of that, less the centre
  std::vector<WordRange> values;  // of a key, less BOS
  WordRange key;                  // a key's logit, less BOS's
  Word centre;                    // a constant; the group's logits lie within `radius` of it
  Word radius;
  Word share;  // of exp(centre), of all
};

// exp(logit - top) of all keys of each group, top the largest logit of the groups.
struct Kernels {
  Word top;
  std::vector<Range> of;
  Range sum;

  template <typename LogitOf>
  Kernels(const std::vector<Group>& groups, const LogitOf& logit_of)
      : top(logit_of(groups.front())), sum{0, 0} {
    for (const Group& group : groups) top = std::max(top, logit_of(group));
    for (const Group& group : groups) {
      const Integer at = fine(logit_of(group) - top);
      const Range kernel = exponential({at, at}, kFineBits);
      of.push_back({kernel.lower * group.count, kernel.upper * group.count});
      sum = sum + of.back();
    }
  }

  // The logarithm of the sum of exp(logit) over all keys.
  [[nodiscard]] WordRange log() const {
    const auto of_sum = [](const Integer& end) {
      return logarithm(exact::make_rational(end, unit(kFineBits)), kFineBits);
    };
    return {top + down(of_sum(sum.lower).lower), top + up(of_sum(sum.upper).upper)};
  }
};

void set_shares(std::vector<Group>& groups, const Kernels& kernels, Word& error) {
  // Rounded, but for the first group, which has what is left.
  Word left = kOne;
  for (std::size_t g = groups.size(); g-- > 0;) {
    groups[g].share =
        g == 0 ? left : word(floor_div(kernels.of[g].lower << kSeriesBits, kernels.sum.lower));
    left -= groups[g].share;
  }
  error = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Word share = groups[g].share;
    // |ln(p / p')| <= |p - p'| / min(p, p'), here for shares of exact kernels.
    const Integer most = ceil_div(kernels.of[g].upper << kSeriesBits, kernels.sum.lower);
    const Integer fewest = floor_div(kernels.of[g].lower << kSeriesBits, kernels.sum.upper);
    const Integer apart = std::max(Integer(most - share), Integer(share - fewest));
    const Integer lowest = std::min(Integer(share), fewest);
    if (lowest <= 0) throw TooCoarse();
    error = std::max(error, word(ceil_div(apart << kSeriesBits, lowest)));
  }
}

// Of logits d of all keys, with shares that are tilted by any part of d.
struct Spread {
  Word radius;             // |d| at most
  Word mean;               // |mean d|
  Word square;             // the mean of |Z - mean Z| for Z = (d - mean d)^2
  std::vector<Word> most;  // of each group, its share
};

Spread spread_of(const std::vector<Group>& groups) {
  Spread result{0, 0, 0, {}};
  for (const Group& group : groups) result.radius = std::max(result.radius, group.radius);
  result.mean = result.radius;
  result.square = product_up(result.radius, result.radius);
  // exp(-radius), from below.
  const auto fall = [](Word radius) {
    return exponential({fine(-radius), fine(-radius)}, kFineBits).lower;
  };
  Integer least = 0;
  for (const Group& group : groups) least += group.share * fall(group.radius);
  Wide mean = 0;
  Wide square = 0;
  for (const Group& group : groups) {
    const Integer divisor = fall(group.radius) * least;
    if (divisor <= 0) throw TooCoarse();
    const Integer share = ceil_div(Integer(group.share) << (2 * kFineBits + kSeriesBits), divisor);
    const Word most = share < kOne ? static_cast<Word>(share) : kOne;
    result.most.push_back(most);
    mean += product_up(most, group.radius);
    square += product_up(most, product_up(group.radius, group.radius));
  }
  result.mean = std::min(result.mean, narrow(mean));
  result.square = std::min(result.square, narrow(2 * square));
  return result;
}

// What coordinate r of a group's keys is away from the middle of another's, at most.
Word distance(const Group& group, const Group& from, std::size_t r) {
  const WordRange& at = from.values[r];
  const Word middle = at.lower + (at.upper - at.lower) / 2;
  return std::max(group.values[r].upper - middle, middle - group.values[r].lower);
}

// The mean of Z times (y - mean y), coordinate r of keys y. Z is at most (radius + |mean d|)^2.
Word second_order(const std::vector<Group>& groups, const Spread& spread, std::size_t r) {
  const Word near = distance(groups.front(), groups.front(), r);
  Wide all = product_up(spread.square, near);
  for (std::size_t g = 1; g < groups.size(); ++g) {
    const Word more = distance(groups[g], groups.front(), r) - near;
    if (more <= 0) continue;
    const Word away = groups[g].radius + spread.mean;
    const Word most = std::max(spread.square, product_up(away, away));
    all += product_up(more, product_up(spread.most[g], most));
  }
  WordRange reaches = groups.front().values[r];
  for (const Group& group : groups) {
    reaches.lower = std::min(reaches.lower, group.values[r].lower);
    reaches.upper = std::max(reaches.upper, group.values[r].upper);
  }
  const Word plain = product_up(spread.square, half_up(reaches.upper - reaches.lower));
  return std::min(plain, narrow(all));
}

// A product with a number that is within a unit of the one it was multiplied by.
Series within_unit(Series product, const Series& of) {
  for (std::size_t r = 0; r < of.size; ++r) {
    product.remainder[r] += 1 + (reach(of, r) >> kSeriesBits);
  }
  return product;
}

// The logistic function of a polynomial between two numbers.
Series logistic_of(const Series& x, const WordRange& at, std::size_t degree,
                   const Alphabet& alphabet) {
  const Word c = at.lower + (at.upper - at.lower) / 2;
  const Word r = std::max<Word>(1, std::max(at.upper - c, c - at.lower));
  const auto between = [](Word least, Word most) {
    return Range{logistic({fine(least), fine(least)}, kFineBits).lower,
                 logistic({fine(most), fine(most)}, kFineBits).upper};
  };
  const std::vector<Range> there = logistic_derivatives(between(c, c), degree, kFineBits);
  const Range last =
      logistic_derivatives(between(at.lower, at.upper), degree + 1, kFineBits).back();
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

Word part_of_scale(Word part, Word whole) {
  const Wide scale = (Wide{part} * kScale + whole - 1) / whole;
  return static_cast<Word>(std::min(Wide{kScale}, scale));
}

void add_letter(SeenKeys& seen, const std::vector<Word>& scales) {
  const auto keys = static_cast<Word>(scales.size());
  Word all = 0;
  Word squares = 0;
  for (const Word scale : scales) {
    all += scale;
    squares += scale * scale;
  }
  seen.mean.push_back((all + keys - 1) / keys);
  Word root = 0;
  while (root * root * keys < squares) ++root;
  seen.spread.push_back(root);
}

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

Series mean_of(const SeenKeys& seen, const KeyLetters& letters) {
  return affine(*seen.keys, scaled_columns(seen.keys->columns, seen.mean), letters.mean);
}

Series one_of(const ContentKeys& keys, const KeyLetters& letters) {
  return affine(keys, keys.columns, letters.key);
}

Series mean_over(const Series& of_one, const SeenKeys& seen, const KeyLetters& letters) {
  // Apart, as the row's own letters may be means of keys too.
  Series own(of_one.size);
  Series of_keys(of_one.size);
  own.remainder = of_one.remainder;
  const std::vector<std::size_t>& numbers = seen.keys->numbers;
  for (std::size_t t = 0; t < of_one.terms.size(); ++t) {
    const Word* values = of_one.values.data() + t * of_one.size;
    const Letter letter = of_one.terms[t][0];
    const auto found = std::find_if(numbers.begin(), numbers.end(), [&](std::size_t number) {
      return letter == letters.key + number;
    });
    if (found == numbers.end()) {
      own.terms.push_back(of_one.terms[t]);
      own.values.insert(own.values.end(), values, values + of_one.size);
      continue;
    }
    of_keys.terms.push_back({static_cast<Letter>(letters.mean + *found)});
    const Word scale = seen.mean[static_cast<std::size_t>(found - numbers.begin())];
    for (std::size_t c = 0; c < of_one.size; ++c) {
      const Wide exact = Wide{values[c]} * scale;
      of_keys.values.push_back(static_cast<Word>(exact >> 8U));
      of_keys.remainder[c] += of_keys.values.back() * Wide{kScale} == exact ? 0 : 1;
    }
  }
  return sum(own, of_keys);
}

TiltedHead tilted(const FixedHead& head, const Series& row, const Series& bos, const SeenKeys& seen,
                  const Series* trigger, const KeyLetters& letters, std::size_t degree,
                  const Alphabet& alphabet) {
  const std::size_t n = row.size;
  const std::size_t logit_degree = std::max<std::size_t>(2, degree);
  const Series query = first_coordinates(apply(head.query, row), n);
  const auto logit = [&](const Series& key) { return inner(query, key, logit_degree, alphabet); };
  // Logits are taken less that of the keys' centre or, where there are none, of the row itself.
  const Series reference =
      seen.count == 0 ? row : constant(seen.keys->centre, std::vector<Word>(n));

  std::vector<Group> groups;
  const auto add_group = [&](std::size_t count, const Series& mean, const Series& key) {
    Group group{static_cast<Word>(count), sum(mean, bos, -1), {}, {}, {}, 0, 0, 0};
    const Series one = sum(key, bos, -1);
    group.logit = logit(sum(mean, reference, -1));
    const WordRange at = range(logit(sum(key, reference, -1)), 0, alphabet);
    group.centre = at.lower + (at.upper - at.lower) / 2;
    group.radius = std::max(at.upper - group.centre, group.centre - at.lower);
    group.logit = sum(group.logit, number(group.centre), -1);
    group.key = range(logit(one), 0, alphabet);
    for (std::size_t r = 0; r < n; ++r) {
      const Word centre = one.constant(r);
      const Word around = reach(one, r) - size_of(centre);
      group.values.push_back({centre - around, centre + around});
    }
    groups.push_back(std::move(group));
  };
  if (seen.count > 0) {
    add_group(seen.count, mean_of(seen, letters), one_of(*seen.keys, letters));
  }
  if (trigger != nullptr) add_group(1, *trigger, *trigger);
  add_group(1, row, row);

  TiltedHead result;
  // L where each logit is at one end of its range.
  const WordRange most_at = {
      Kernels(groups, [](const Group& group) { return group.key.lower; }).log().lower,
      Kernels(groups, [](const Group& group) { return group.key.upper; }).log().upper};
  const auto bos_share = [&](Word of_others) {
    return logistic({fine(-of_others), fine(-of_others)}, kFineBits);
  };
  // BOS is a key like the others where it has little.
  const bool is_apart = most_at.lower + (most_at.upper - most_at.lower) / 2 < 0;
  if (!is_apart) add_group(1, bos, bos);

  const Kernels kernels(groups, [](const Group& group) { return group.centre; });
  Word loose = 0;  // of shares, and of keys' remainders, which the letters of keys do not say
  set_shares(groups, kernels, loose);
  if (seen.count > 0) {
    Wide all = 0;
    for (std::size_t r = 0; r < n; ++r) all += Wide{reach(query, r)} * seen.keys->remainder[r];
    loose += ceil_shift(all);
  }
  const Spread spread = spread_of(groups);

  Series mean(n);
  Series drift(1);  // of logits
  for (const Group& group : groups) {
    mean = sum(mean, times(group.mean, group.share));
    drift = sum(drift, times(group.logit, group.share));
  }
  Series variance(1);
  if (seen.count > 1) {
    const exact::Matrix<Word> columns = scaled_columns(seen.keys->columns, seen.spread);
    const Series slopes = apply(exact::transpose(columns), query);
    const Word share = groups.front().share;
    mean =
        sum(mean, times(covariance(columns, slopes, seen.keys->numbers, degree, alphabet), share));
    if (is_apart) {
      exact::Matrix<Word> same(slopes.size, slopes.size);
      for (std::size_t a = 0; a < slopes.size; ++a) same(a, a) = kOne;
      const Series with = covariance(same, slopes, seen.keys->numbers, degree, alphabet);
      variance = times(inner(with, slopes, degree, alphabet), share);
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t h = 0; h < g; ++h) {
      const Word both = ceil_shift(Wide{groups[g].share} * groups[h].share);  // within a unit
      const Series apart = sum(groups[g].logit, groups[h].logit, -1);
      const Series moved = scaled(apart, sum(groups[g].mean, groups[h].mean, -1), degree, alphabet);
      mean = sum(mean, within_unit(times(moved, both), moved));
      if (!is_apart) continue;
      const Series squared = inner(apart, apart, degree, alphabet);
      variance = sum(variance, within_unit(times(squared, both), squared));
    }
  }
  for (std::size_t r = 0; r < n; ++r) {
    Wide all = Wide{mean.remainder[r]} + half_up(second_order(groups, spread, r));
    Word width = 0;
    for (const Group& group : groups) width = std::max(width, distance(group, groups.front(), r));
    all += product_up(loose, width);
    // The covariance of logits and keys' remainders.
    if (seen.count > 0) all += product_up(spread.radius, seen.keys->remainder[r]);
    mean.remainder[r] = narrow(all);
  }
  result.mean = std::move(mean);
  if (!is_apart) {
    result.bos = {bos_share(most_at.upper).lower, bos_share(most_at.lower).upper};
    return result;
  }

  // The logarithm of the sum of exp(logit), all keys but BOS.
  const WordRange base = kernels.log();
  Series together = sum(drift, times(variance, kOne / 2));
  together = sum(together, logit(sum(reference, bos, -1)));
  together = sum(together, number(base.lower, base.upper - base.lower));
  together.remainder[0] = narrow(Wide{together.remainder[0]} + loose +
                                 product_up(spread.square, spread.radius) / 6 + 1);
  WordRange at = range(together, 0, alphabet);
  at.lower = std::max(at.lower, most_at.lower);
  at.upper = std::min(at.upper, most_at.upper);
  result.bos = {bos_share(at.upper).lower, bos_share(at.lower).upper};
  result.others = logistic_of(together, at, degree, alphabet);
  return result;
}

}  // namespace sinkproof::forward
