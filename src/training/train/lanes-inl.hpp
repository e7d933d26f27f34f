// What the kernels of this folder share, compiled once for each instruction set: lane-wise matrix
// products in registers and the random streams of the samples, one sample a lane. Included only
// between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE's files, after foreach_target.h.
#if defined(SINKPROOF_TRAIN_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_TRAIN_LANES_INL_HPP
#undef SINKPROOF_TRAIN_LANES_INL_HPP
#else
#define SINKPROOF_TRAIN_LANES_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "train/kernels.hpp"
#include "train/task.hpp"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::train {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kMaxLanes>;
using DU = hn::RebindToUnsigned<D>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;

// Register tiles: kTileRows x kTileCols accumulators.
constexpr int kTileRows = 2;
constexpr int kTileCols = HWY_TARGET <= HWY_AVX3 ? 8 : 4;

std::size_t Width() { return hn::Lanes(D()); }

// One operand of a lane-wise matrix product: entry (row, depth) or (depth, column) is a vector at
// `at + row * row_step + depth * depth_step` (columns are adjacent vectors), or a scalar for all
// lanes.
struct Rows {
  const float* at;
  std::size_t row_step;
  std::size_t depth_step;
};
struct Cols {
  const float* at;
  std::size_t depth_step;
};
struct Target {
  float* at;
  std::size_t row_step;
};

enum class Operand { kVector, kScalar };
enum class Start { kZero, kAccumulate };

// c[row][col] (+)= sum over depth of a[row][depth] b[depth][col], in each lane, in registers.
template <int kRows, int kCols, Operand kB>
HWY_INLINE void Tile(std::size_t depth, Rows a, Cols b, Target c, Start start) {
  const D d;
  const std::size_t width = Width();
  V sum[kRows][kCols];
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < kCols; ++col) {
      sum[row][col] =
          start == Start::kZero ? hn::Zero(d) : hn::Load(d, c.at + row * c.row_step + col * width);
    }
  }
  for (std::size_t k = 0; k < depth; ++k) {
    V left[kRows];
    for (int row = 0; row < kRows; ++row) left[row] = hn::Load(d, a.at + row * a.row_step);
    for (int col = 0; col < kCols; ++col) {
      const V right =
          kB == Operand::kScalar ? hn::Set(d, b.at[col]) : hn::Load(d, b.at + col * width);
      for (int row = 0; row < kRows; ++row) {
        sum[row][col] = hn::MulAdd(left[row], right, sum[row][col]);
      }
    }
    a.at += a.depth_step;
    b.at += b.depth_step;
  }
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < kCols; ++col) {
      hn::Store(sum[row][col], d, c.at + row * c.row_step + col * width);
    }
  }
}

// The columns that fill no whole tile.
template <int kRows, int kCols, Operand kB>
HWY_INLINE void LastTile(std::size_t cols, std::size_t depth, Rows a, Cols b, Target c,
                         Start start) {
  if constexpr (kCols > 0) {
    if (cols == kCols) {
      Tile<kRows, kCols, kB>(depth, a, b, c, start);
    } else {
      LastTile<kRows, kCols - 1, kB>(cols, depth, a, b, c, start);
    }
  }
}

template <int kRows, Operand kB>
HWY_NOINLINE void Multiply(std::size_t cols, std::size_t depth, Rows a, Cols b, Target c,
                           Start start) {
  const std::size_t width = Width();
  while (cols >= kTileCols) {
    Tile<kRows, kTileCols, kB>(depth, a, b, c, start);
    b.at += kTileCols * (kB == Operand::kScalar ? 1 : width);
    c.at += kTileCols * width;
    cols -= kTileCols;
  }
  LastTile<kRows, kTileCols - 1, kB>(cols, depth, a, b, c, start);
}

// Calls visit(number of rows as a type, first row): whole tiles of rows, then single rows.
template <typename Visit>
HWY_INLINE void ForRows(std::size_t rows, Visit visit) {
  std::size_t row = 0;
  for (; row + kTileRows <= rows; row += kTileRows) {
    visit(std::integral_constant<int, kTileRows>(), row);
  }
  for (; row < rows; ++row) visit(std::integral_constant<int, 1>(), row);
}

HWY_INLINE V At(const float* base, std::size_t index) {
  return hn::Load(D(), base + index * Width());
}
HWY_INLINE void Put(V value, float* base, std::size_t index) {
  hn::Store(value, D(), base + index * Width());
}

// Outer products over the rows of `depth` positions: sums[row][col] (+)= a[row] b[col]; with
// `symmetric` only columns from the diagonal's tile on.
void AddOuter(std::size_t rows, std::size_t cols, std::size_t depth, Rows a, Cols b, float* sums,
              Start start, bool symmetric) {
  const std::size_t width = Width();
  const auto tile_rows = [&]<int kRows>(std::integral_constant<int, kRows>, std::size_t row) {
    const std::size_t skip = symmetric ? row : 0;
    Multiply<kRows, Operand::kVector>(cols - skip, depth,
                                      {a.at + row * a.row_step, a.row_step, a.depth_step},
                                      {b.at + skip * width, b.depth_step},
                                      {sums + (row * cols + skip) * width, cols * width}, start);
  };
  ForRows(rows, tile_rows);
}

// The random streams of task.hpp, one sample a lane: the same bits.
struct Streams {
  // Samples first, first + 1, ... of the batch; sets `trigger` to their trigger positions.
  HWY_INLINE Streams(const BatchId& batch, std::size_t length, std::uint32_t first, V& trigger) {
    const DU du;
    HWY_ALIGN std::uint32_t start[4][kMaxLanes];
    HWY_ALIGN float position[kMaxLanes];
    for (std::size_t lane = 0; lane < Width(); ++lane) {
      StreamState state = stream_start(batch, first + static_cast<std::uint32_t>(lane));
      const std::uint32_t word = next_word(state);
      position[lane] = static_cast<float>(trigger_position(word, length));
      for (std::size_t part = 0; part < 4; ++part) start[part][lane] = state[part];
    }
    s0 = hn::Load(du, start[0]);
    s1 = hn::Load(du, start[1]);
    s2 = hn::Load(du, start[2]);
    s3 = hn::Load(du, start[3]);
    trigger = hn::Load(D(), position);
  }

  HWY_INLINE V Noise() {
    const DI di;
    const auto word = hn::Add(s0, s3);
    const auto shifted = hn::ShiftLeft<9>(s1);
    s2 = hn::Xor(s2, s0);
    s3 = hn::Xor(s3, s1);
    s1 = hn::Xor(s1, s2);
    s0 = hn::Xor(s0, s3);
    s2 = hn::Xor(s2, shifted);
    s3 = hn::RotateRight<21>(s3);
    const auto odd = hn::Or(hn::ShiftRight<7>(hn::BitCast(di, word)), hn::Set(di, 1));
    return hn::Mul(hn::ConvertTo(D(), odd), hn::Set(D(), 0x1p-24F));
  }

  hn::Vec<DU> s0, s1, s2, s3;
};

// 1 in the first `valid` lanes, 0 in the others.
HWY_INLINE V PresentLanes(std::size_t valid) {
  return hn::IfThenElseZero(hn::FirstN(D(), valid), hn::Set(D(), 1.0F));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::train
HWY_AFTER_NAMESPACE();

#endif
