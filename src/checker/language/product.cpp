#include "language/product.hpp"

#include <gmp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "certificate/strict.hpp"
#include "exact/whole.hpp"

namespace sinkproof::language {
namespace {

using exact::Integer;
using forward::Balls;
using safetensors::Dyadic;

static_assert(GMP_NUMB_BITS == 64);

Dyadic finite(const safetensors::View& tensor, std::size_t index) {
  const auto value = safetensors::element(tensor, index);
  if (!value) {
    throw certificate::Rejected{
        {"SP0405", "model file",
         "element " + std::to_string(index) +
             " of a weight is NaN or infinite; use a checkpoint from before training diverged"},
        4};
  }
  return *value;
}

// Absolute values of rows side by side, each of `limbs` words, and their signs; or, where all have
// at most kShortBits, the numbers themselves.
struct Words {
  static constexpr std::size_t kShortBits = 62;

  std::size_t limbs = 1;
  std::size_t bits = 0;  // of the largest
  std::vector<mp_limb_t> words;
  std::vector<char> negative;
  std::vector<std::int64_t> whole;

  explicit Words(const Balls& x) {
    std::vector<mpz_srcptr> numbers;
    numbers.reserve(x.rows() * x.columns());
    for (std::size_t t = 0; t < x.rows(); ++t) {
      for (std::size_t i = 0; i < x.columns(); ++i) {
        numbers.push_back(raw(x.centre(t, i)));
        limbs = std::max(limbs, mpz_size(numbers.back()));
        bits = std::max(bits, mpz_sizeinbase(numbers.back(), 2));
      }
    }
    if (bits <= kShortBits) {
      whole.reserve(numbers.size());
      for (mpz_srcptr number : numbers) whole.push_back(mpz_get_si(number));
      return;
    }
    negative.resize(numbers.size());
    words.resize(numbers.size() * limbs);
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      const mp_limb_t* first = mpz_limbs_read(numbers[n]);
      std::copy(first, first + mpz_size(numbers[n]), &words[n * limbs]);
      negative[n] = static_cast<char>(mpz_sgn(numbers[n]) < 0);
    }
  }
};

// One row of a map: whole numbers times 2^-shift, and what is finer than that.
struct Row {
  struct Fine {
    std::size_t column;
    std::int64_t significand;
    unsigned below;  // significand 2^-(shift + below)
  };
  std::vector<std::int64_t> whole;
  std::vector<Fine> fine;
  int shift = 0;
  Integer sum;  // at least the sum of the absolute values, times 2^shift
};

constexpr int kWordBits = 62;

int top_of(const Dyadic& value) {
  const auto size = static_cast<std::uint64_t>(std::abs(value.significand));
  return value.exponent + static_cast<int>(std::bit_width(size));
}

Row row_of(const Map& map, std::size_t o) {
  std::vector<Dyadic> entries;
  entries.reserve(map.in);
  int top = std::numeric_limits<int>::min();
  for (std::size_t i = 0; i < map.in; ++i) {
    entries.push_back(finite(*map.weight, map.index(o, i)));
    if (entries.back().significand != 0) top = std::max(top, top_of(entries.back()));
  }
  Row row;
  row.whole.resize(map.in);
  if (top == std::numeric_limits<int>::min()) return row;  // all are zero
  row.shift = kWordBits - top;
  for (std::size_t i = 0; i < map.in; ++i) {
    const auto [significand, exponent] = entries[i];
    if (significand == 0) continue;
    const int place = exponent + row.shift;
    if (place >= 0) {
      row.whole[i] = significand * (std::int64_t{1} << place);
    } else {
      row.fine.push_back({i, significand, static_cast<unsigned>(-place)});
    }
    mpz_add_ui(raw(row.sum), raw(row.sum), static_cast<unsigned long>(std::abs(row.whole[i])));
  }
  for (const Row::Fine& fine : row.fine) {
    row.sum += ceil_shift(Integer(std::abs(fine.significand)), fine.below);
  }
  return row;
}

// n 2^-bits, rounded down; to the left where bits < 0.
Integer floor_to(Integer n, int bits) {
  if (bits >= 0) {
    mpz_fdiv_q_2exp(raw(n), raw(n), static_cast<mp_bitcnt_t>(bits));
  } else {
    mpz_mul_2exp(raw(n), raw(n), static_cast<mp_bitcnt_t>(-bits));
  }
  return n;
}

__extension__ using Wide = __int128;

Integer integer_of(Wide n) {
  Integer result = static_cast<std::int64_t>(n >> 64);
  mpz_mul_2exp(raw(result), raw(result), 64);
  mpz_add_ui(raw(result), raw(result), static_cast<unsigned long>(n));  // its last 64 bits
  return result;
}

// Factors of at most kWordBits and kShortBits.
Integer inner_short(const std::vector<std::int64_t>& whole, const Words& words, std::size_t t) {
  const std::int64_t* number = &words.whole[t * whole.size()];
  const std::size_t sum_bits = kWordBits + words.bits + std::bit_width(whole.size());
  if (sum_bits < 127) {
    Wide sum = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) sum += static_cast<Wide>(whole[i]) * number[i];
    return integer_of(sum);
  }
  Wide high = 0;
  Wide low = 0;  // fewer than 2^63 numbers below 2^64
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const Wide product = static_cast<Wide>(whole[i]) * number[i];
    high += product >> 64;
    low += static_cast<std::uint64_t>(product);
  }
  return floor_to(integer_of(high), -64) + integer_of(low);
}

// The sum of `whole` times row t: terms of either sign apart.
Integer inner(const std::vector<std::int64_t>& whole, const Words& words, std::size_t t) {
  if (!words.whole.empty()) return inner_short(whole, words, t);
  const std::size_t limbs = words.limbs;
  std::array<std::vector<mp_limb_t>, 2> sums{std::vector<mp_limb_t>(limbs + 2),
                                             std::vector<mp_limb_t>(limbs + 2)};
  const mp_limb_t* number = &words.words[t * whole.size() * limbs];
  const char* negative = &words.negative[t * whole.size()];
  for (std::size_t i = 0; i < whole.size(); ++i, number += limbs) {
    const bool minus = (whole[i] < 0) != (negative[i] != 0);
    mp_limb_t* sum = sums[minus ? 1 : 0].data();
    const auto factor = static_cast<mp_limb_t>(std::abs(whole[i]));
    const mp_limb_t carry = mpn_addmul_1(sum, number, static_cast<mp_size_t>(limbs), factor);
    sum[limbs] += carry;
    if (sum[limbs] < carry) ++sum[limbs + 1];
  }
  std::array<Integer, 2> parts;
  for (std::size_t s = 0; s < 2; ++s) {
    mpz_import(raw(parts[s]), limbs + 2, -1, sizeof(mp_limb_t), 0, 0, sums[s].data());
  }
  return parts[0] - parts[1];
}

Integer ceil_to(const Integer& n, int bits) { return -floor_to(-n, bits); }

// Coordinate o of all rows, and what it asks of their radii.
void put_row(const Map& map, std::size_t o, std::size_t to, const Balls& x, const Words& words,
             unsigned p, Balls& result, std::vector<Integer>& radius) {
  const Row row = row_of(map, o);
  Integer bias = 0;
  if (map.bias != nullptr) {
    const Dyadic b = finite(*map.bias, map.source(o));
    bias = floor_to(b.significand, -(b.exponent + static_cast<int>(p) + row.shift));
  }
  // One unit for each number rounded before the last shift, and one for that.
  const Integer dropped = ceil_to(Integer(row.fine.size() + 1), row.shift) + 1;
  for (std::size_t t = 0; t < x.rows(); ++t) {
    Integer sum = inner(row.whole, words, t) + bias;
    for (const Row::Fine& fine : row.fine) {
      sum += floor_to(fine.significand * x.centre(t, fine.column), static_cast<int>(fine.below));
    }
    result.centre(t, to) = floor_to(std::move(sum), row.shift);
    const Integer needed = ceil_to(row.sum * x.radius[t], row.shift) + dropped;
    if (needed > radius[t]) radius[t] = needed;
  }
}

}  // namespace

Balls apply(const Map& map, std::size_t first, std::size_t count, const Balls& x, unsigned p,
            const ForEach& each) {
  constexpr std::size_t kTogether = 16;
  const Words words(x);
  Balls result(x.rows(), count);
  const std::size_t groups = (count + kTogether - 1) / kTogether;
  std::vector<std::vector<Integer>> radii(groups, std::vector<Integer>(x.rows()));
  each(groups, [&](std::size_t g) {
    const std::size_t end = std::min(count, (g + 1) * kTogether);
    for (std::size_t o = g * kTogether; o < end; ++o) {
      put_row(map, first + o, o, x, words, p, result, radii[g]);
    }
  });
  for (const auto& radius : radii) {
    for (std::size_t t = 0; t < x.rows(); ++t) {
      result.radius[t] = std::max(result.radius[t], radius[t]);
    }
  }
  return result;
}

Balls apply(const Map& map, const Balls& x, unsigned p, const ForEach& each) {
  return apply(map, 0, map.out, x, p, each);
}

forward::Range element(const safetensors::View& tensor, std::size_t index, unsigned p) {
  const Dyadic value = finite(tensor, index);
  const int place = value.exponent + static_cast<int>(p);
  return {floor_to(value.significand, -place), ceil_to(value.significand, -place)};
}

}  // namespace sinkproof::language
