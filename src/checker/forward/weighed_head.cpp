#include "forward/weighed_head.hpp"

#include <algorithm>
#include <utility>

#include "forward/kernel_line.hpp"
#include "forward/weights.hpp"

namespace sinkproof::forward {
namespace {

// How large max(0, x) y may be, x at most `most`: with t u >= 1 at most max(0, t x + u y)^2/4, as a
// product is at most a quarter of the square of a sum.
Word product_at_most(const Series& x, Word most, const Series& y, const Alphabet& alphabet) {
  const Word reaches = range(y, 0, alphabet).upper;
  if (reaches <= 0) return 0;
  const Word plain = product_up(most, reaches);
  const exact::Integer quotient = (exact::Integer(reaches) << (2 * kSeriesBits)) / most;
  const exact::Integer slope = boost::multiprecision::sqrt(quotient);
  if (slope <= kOne >> 6U || slope >= kOne << 6U) return plain;
  const Word t = word(slope);
  const Word u = static_cast<Word>(((Wide{kOne} << kSeriesBits) + t - 1) / t);
  const Word root = range(sum(times(x, t), times(y, u)), 0, alphabet).upper;
  return root <= 0 ? 0 : std::min(plain, product_up(root, root) / 4 + 1);
}

// max(0, x) times each coordinate of y, between two numbers.
Series rectified_products(const Series& x, Word most, const Series& y, const Alphabet& alphabet) {
  std::vector<Word> middle;
  std::vector<Word> around;
  for (std::size_t c = 0; c < y.size; ++c) {
    const Series one = coordinate(y, c);
    const Word upper = product_at_most(x, most, one, alphabet);
    const Word lower = -product_at_most(x, most, sum(Series(1), one, -1), alphabet);
    middle.push_back(lower + (upper - lower) / 2);
    around.push_back(upper - middle.back());
  }
  return constant(middle, around);
}

}  // namespace

Series part_of(const Series& x, std::size_t part, std::size_t whole) {
  Series result = times(x, static_cast<Word>((Wide{kOne} * part) / whole));
  for (std::size_t c = 0; c < x.size; ++c) result.remainder[c] += 1 + (reach(x, c) >> kSeriesBits);
  return result;
}

FixedMap without_bias(const FixedMap& map) {
  return {map.weight, std::vector<Word>(map.bias.size())};
}

WeighedHead weighed(const certificate::AttentionKind& kind, const FixedHead& head,
                    const Series& row, const Series* bos, const SeenKeys& seen,
                    const Series* trigger, const KeyLetters& letters, std::size_t degree,
                    const Alphabet& alphabet) {
  const std::size_t n = row.size;
  const Series all_of_query = apply(head.query, row);
  const Series query = first_coordinates(all_of_query, n);
  const Series offset = coordinate(all_of_query, n);
  const std::size_t others =
      seen.count + (bos != nullptr ? 1U : 0U) + (trigger != nullptr ? 1U : 0U);
  const std::size_t divisor = std::max<std::size_t>(1, others);
  const auto logit = [&](const Series& key) {
    return sum(inner(query, key, std::max<std::size_t>(2, degree), alphabet), offset);
  };

  WeighedHead result{Series(n), {}};
  // The sum over `count` keys; `mean` of them, `key` one of them.
  const auto add_group = [&](std::size_t count, const Series& mean, const Series& key,
                             const SeenKeys* content) {
    const Series one = logit(key);
    const WordRange at = range(one, 0, alphabet);
    const KernelLine line = kernel_line(kind, at, degree);
    if (&key == bos || bos == nullptr) {
      result.bos = divided(kernels_of(kind, {{fine(at.lower), fine(at.upper)}}, 0, kFineBits)[0],
                           exact::Integer(divisor));
    }
    if (line.value == 0 && line.slope == 0 && line.error == 0) return;
    if (kind.kernel == certificate::Kernel::kRelu && at.upper <= -at.lower) {
      // Mostly negative: weight and value are bounded together.
      const Series both = rectified_products(one, at.upper, apply(head.value, key), alphabet);
      result.output = sum(result.output, part_of(both, count, divisor));
      return;
    }
    // What is of the first degree is a mean over keys if it is one of each key.
    const bool is_affine = content != nullptr && degree == 1;
    const Series value = apply(head.value, key);
    const Series tilt =
        times(sum(is_affine ? one : logit(mean), number(line.centre), -1), line.slope);
    Series part = scaled(sum(tilt, number(line.value)), is_affine ? value : apply(head.value, mean),
                         degree, alphabet);
    if (is_affine) part = mean_over(part, *content, letters);
    std::vector<Wide> around(n);
    for (std::size_t r = 0; r < n; ++r) around[r] = product_up(line.error, reach(value, r));
    if (content != nullptr && !is_affine && content->count > 1) {
      // Keys' remainders e: Cov(logit, value) = Cov(affine parts) + Cov(query e, affine values) +
      // Cov(logit, value of e).
      const FixedMap linear_part = without_bias(head.value);
      const ContentKeys& keys = *content->keys;
      Wide loose = 0;
      for (std::size_t r = 0; r < n; ++r) loose += Wide{reach(query, r)} * keys.remainder[r];
      const Word radius = std::max(at.upper - line.centre, line.centre - at.lower);
      const Series rest = apply(linear_part, constant(std::vector<Word>(n), keys.remainder));
      for (std::size_t r = 0; r < n; ++r) {
        const Word spread = reach(value, r) - size_of(value.constant(r));
        around[r] +=
            product_up(size_of(line.slope), narrow(Wide{product_up(ceil_shift(loose), spread)} +
                                                   product_up(radius, reach(rest, r))));
      }
      const exact::Matrix<Word> columns = scaled_columns(keys.columns, content->spread);
      const Series slopes = apply(exact::transpose(columns), query);
      const Series together = covariance(columns, slopes, keys.numbers, degree, alphabet);
      part = sum(part, times(apply(linear_part, together), line.slope));
    }
    for (std::size_t r = 0; r < n; ++r) part.remainder[r] = narrow(part.remainder[r] + around[r]);
    result.output = sum(result.output, part_of(part, count, divisor));
  };
  if (bos != nullptr) add_group(1, *bos, *bos, nullptr);
  if (seen.count > 0) {
    add_group(seen.count, mean_of(seen, letters), one_of(*seen.keys, letters), &seen);
  }
  if (trigger != nullptr) add_group(1, *trigger, *trigger, nullptr);
  add_group(1, row, row, nullptr);
  return result;
}

}  // namespace sinkproof::forward
