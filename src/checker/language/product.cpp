#include "language/product.hpp"

#include <gmp.h>

#include <algorithm>
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

__extension__ using Wide = __int128;

// The centres of rows in pieces: each is the sum of its pieces times 2^(bits k), k = 0, 1, ..; all
// pieces have its sign and less than 2^bits.
struct Pieces {
  std::size_t bits;
  std::size_t columns;
  std::size_t count = 1;  // of a number
  std::vector<std::int64_t> numbers;

  Pieces(const Balls& x, std::size_t piece_bits) : bits(piece_bits), columns(x.columns()) {
    for (std::size_t t = 0; t < x.rows(); ++t) {
      for (std::size_t i = 0; i < columns; ++i) {
        count = std::max(count, (mpz_sizeinbase(raw(x.centre(t, i)), 2) + bits - 1) / bits);
      }
    }
    numbers.resize(x.rows() * count * columns);
    Integer rest;
    Integer piece;
    for (std::size_t t = 0; t < x.rows(); ++t) {
      for (std::size_t i = 0; i < columns; ++i) {
        rest = x.centre(t, i);
        for (std::size_t k = 0; rest != 0; ++k) {
          mpz_tdiv_r_2exp(raw(piece), raw(rest), bits);
          mpz_tdiv_q_2exp(raw(rest), raw(rest), bits);
          numbers[(t * count + k) * columns + i] = mpz_get_si(raw(piece));
        }
      }
    }
  }

  // Piece k of each number of row t.
  [[nodiscard]] const std::int64_t* row(std::size_t t, std::size_t k) const {
    return &numbers[(t * count + k) * columns];
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

int top_of(const Dyadic& value) {
  const auto size = static_cast<std::uint64_t>(std::abs(value.significand));
  return value.exponent + static_cast<int>(std::bit_width(size));
}

// With `bits` for the largest of them.
Row row_of(const Map& map, std::size_t o, int bits) {
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
  row.shift = bits - top;
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

Integer integer_of(Wide n) {
  Integer result = static_cast<std::int64_t>(n >> 64);
  mpz_mul_2exp(raw(result), raw(result), 64);
  mpz_add_ui(raw(result), raw(result), static_cast<unsigned long>(n));  // its last 64 bits
  return result;
}

// The sum of `whole` times row t, piece by piece: what a piece's sum has above its bits goes to the
// next one, and what is left is not negative. Nothing overflows: kSumBits.
Integer inner(const std::vector<std::int64_t>& whole, const Pieces& pieces, std::size_t t) {
  std::vector<std::uint64_t> digits(pieces.count);
  Wide sum = 0;
  for (std::size_t k = 0; k < pieces.count; ++k) {
    const std::int64_t* piece = pieces.row(t, k);
    for (std::size_t i = 0; i < whole.size(); ++i) sum += static_cast<Wide>(whole[i]) * piece[i];
    digits[k] = static_cast<std::uint64_t>(sum) & ((std::uint64_t{1} << pieces.bits) - 1);
    sum >>= pieces.bits;
  }
  Integer low;
  mpz_import(raw(low), digits.size(), -1, sizeof(std::uint64_t), 0, 64 - pieces.bits,
             digits.data());
  return floor_to(integer_of(sum), -static_cast<int>(pieces.bits * pieces.count)) + low;
}

Integer ceil_to(const Integer& n, int bits) { return -floor_to(-n, bits); }

// A row of a map, its bias, and what its roundings ask of radii: one unit for each number rounded
// before the last shift, and one for that.
struct Coordinate {
  Row row;
  Integer bias;
  Integer dropped;

  Coordinate(const Map& map, std::size_t o, int bits, unsigned p) : row(row_of(map, o, bits)) {
    if (map.bias != nullptr) {
      const Dyadic b = finite(*map.bias, map.source(o));
      bias = floor_to(b.significand, -(b.exponent + static_cast<int>(p) + row.shift));
    }
    dropped = ceil_to(Integer(row.fine.size() + 1), row.shift) + 1;
  }

  // Its number in row t, which raises the row's radius.
  [[nodiscard]] Integer at(const Balls& x, const Pieces& pieces, std::size_t t,
                           Integer& radius) const {
    Integer sum = inner(row.whole, pieces, t) + bias;
    for (const Row::Fine& fine : row.fine) {
      sum += floor_to(fine.significand * x.centre(t, fine.column), static_cast<int>(fine.below));
    }
    radius = std::max(radius, Integer(ceil_to(row.sum * x.radius[t], row.shift) + dropped));
    return floor_to(std::move(sum), row.shift);
  }
};

// A sum of `in` products of weights and pieces is below 2^kSumBits, and so fits with what the piece
// before it carries.
constexpr int kSumBits = 126;
constexpr int kMostPieceBits = 63;

}  // namespace

Balls apply(const Map& map, std::size_t first, std::size_t count, const Balls& x, unsigned p,
            const ForEach& each) {
  constexpr std::size_t kTogether = 16;
  const int product_bits = kSumBits - static_cast<int>(std::bit_width(map.in));
  // The 53 bits of an F64 leave little room for weights below the largest; others have at most 24.
  const int weight_bits =
      map.weight->dtype == safetensors::Dtype::kF64 ? 62 : product_bits - kMostPieceBits;
  const Pieces pieces(
      x, static_cast<std::size_t>(std::min(kMostPieceBits, product_bits - weight_bits)));
  Balls result(x.rows(), count);
  const std::size_t groups = (count + kTogether - 1) / kTogether;
  std::vector<std::vector<Integer>> radii(groups, std::vector<Integer>(x.rows()));
  each(groups, [&](std::size_t g) {
    const std::size_t begin = g * kTogether;
    std::vector<Coordinate> coordinates;
    for (std::size_t o = begin; o < std::min(count, begin + kTogether); ++o) {
      coordinates.emplace_back(map, first + o, weight_bits, p);
    }
    for (std::size_t t = 0; t < x.rows(); ++t) {
      for (std::size_t c = 0; c < coordinates.size(); ++c) {
        result.centre(t, begin + c) = coordinates[c].at(x, pieces, t, radii[g][t]);
      }
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
