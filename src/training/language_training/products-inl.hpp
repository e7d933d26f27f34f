// Products of float matrices on packed panels, compiled once for each instruction set; included
// only between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE's files, after foreach_target.h.
//
// c[m][n] (+)= sum over k of a[m][k] b[k][n]. The right factor is packed: panels of kPanelVectors
// vectors of columns, each panel row after row, the last one padded by zeros, so that the inner
// loop reads it in a line and needs no tails. The left factor is read where it lies, one scalar for
// all lanes; kTileRows rows of a panel stay in registers.
#if defined(SINKPROOF_LANGUAGE_PRODUCTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SINKPROOF_LANGUAGE_PRODUCTS_INL_HPP
#undef SINKPROOF_LANGUAGE_PRODUCTS_INL_HPP
#else
#define SINKPROOF_LANGUAGE_PRODUCTS_INL_HPP
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sinkproof::language_training {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Sixteen lanes at most: what lies in memory is padded for that many (kPadding).
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

constexpr int kPanelVectors = 2;
// Sums, a panel's row and a scalar are held in 32 registers, or in 16.
constexpr int kTileRows = HWY_TARGET <= HWY_AVX3 ? 12 : 6;

HWY_INLINE std::size_t Width() { return hn::Lanes(D()); }
HWY_INLINE std::size_t PanelWidth() { return kPanelVectors * Width(); }
HWY_INLINE std::size_t Padded(std::size_t count, std::size_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

HWY_INLINE V At(const float* at) { return hn::LoadU(D(), at); }
HWY_INLINE void Put(V value, float* at) { hn::StoreU(value, D(), at); }
HWY_INLINE V All(float value) { return hn::Set(D(), value); }
HWY_INLINE float Sum(V value) { return hn::GetLane(hn::SumOfLanes(D(), value)); }

// Entry (row, depth) at `at + row * row_step + depth * depth_step` within a tile; the tile that
// starts at row r begins at `at + r * tile_step`.
struct Left {
  const float* at;
  std::size_t tile_step;
  std::size_t row_step;
  std::size_t depth_step;
};
HWY_INLINE Left RowMajor(const float* at, std::size_t stride) { return {at, stride, stride, 1}; }
HWY_INLINE Left Transposed(const float* at, std::size_t stride) { return {at, 1, 1, stride}; }

struct Target {
  float* at;
  std::size_t stride;
};

enum class Start { kZero, kAccumulate };

template <int kRows>
HWY_INLINE void Tile(std::size_t depth, Left a, const float* HWY_RESTRICT panel, Target c,
                     Start start) {
  const std::size_t width = Width();
  V sum[kRows][kPanelVectors];
  for (int row = 0; row < kRows; ++row) {
    for (int v = 0; v < kPanelVectors; ++v) {
      sum[row][v] = start == Start::kZero ? hn::Zero(D()) : At(c.at + row * c.stride + v * width);
    }
  }
  for (std::size_t k = 0; k < depth; ++k) {
    V right[kPanelVectors];
    for (int v = 0; v < kPanelVectors; ++v) right[v] = At(panel + v * width);
    for (int row = 0; row < kRows; ++row) {
      const V left = All(a.at[row * a.row_step]);
      for (int v = 0; v < kPanelVectors; ++v) {
        sum[row][v] = hn::MulAdd(left, right[v], sum[row][v]);
      }
    }
    a.at += a.depth_step;
    panel += kPanelVectors * width;
  }
  for (int row = 0; row < kRows; ++row) {
    for (int v = 0; v < kPanelVectors; ++v) Put(sum[row][v], c.at + row * c.stride + v * width);
  }
}

// Tile of 1..kTileRows rows.
template <int kRows = kTileRows>
HWY_INLINE void AnyTile(std::size_t rows, std::size_t depth, Left a, const float* panel, Target c,
                        Start start) {
  if constexpr (kRows == 1) {
    Tile<1>(depth, a, panel, c, start);
  } else if (rows == kRows) {
    Tile<kRows>(depth, a, panel, c, start);
  } else {
    AnyTile<kRows - 1>(rows, depth, a, panel, c, start);
  }
}

// A panel of which only `cols` columns are there: by way of a tile of its own.
HWY_NOINLINE void NarrowTile(std::size_t rows, std::size_t cols, std::size_t depth, Left a,
                             const float* panel, Target c, Start start) {
  HWY_ALIGN float tile[kTileRows * kPanelVectors * 16];
  const std::size_t stride = PanelWidth();
  AnyTile(rows, depth, a, panel, {tile, stride}, Start::kZero);
  for (std::size_t row = 0; row < rows; ++row) {
    float* const to = c.at + row * c.stride;
    for (std::size_t col = 0; col < cols; ++col) {
      to[col] = tile[row * stride + col] + (start == Start::kZero ? 0.0F : to[col]);
    }
  }
}

// `panel_depth`: rows of `packed`, of which the first `depth` are used.
HWY_INLINE void Product(std::size_t rows, std::size_t cols, std::size_t depth, Left a,
                        const float* packed, std::size_t panel_depth, Target c, Start start) {
  const std::size_t panel_width = PanelWidth();
  for (std::size_t col = 0; col < cols; col += panel_width) {
    const float* const panel = packed + col * panel_depth;
    for (std::size_t row = 0; row < rows; row += kTileRows) {
      const std::size_t count = std::min<std::size_t>(kTileRows, rows - row);
      const Left left{a.at + row * a.tile_step, a.tile_step, a.row_step, a.depth_step};
      const Target to{c.at + row * c.stride + col, c.stride};
      if (cols - col >= panel_width) {
        AnyTile(count, depth, left, panel, to, start);
      } else {
        NarrowTile(count, cols - col, depth, left, panel, to, start);
      }
    }
  }
}

// Packs b[depth][cols], rows `stride` apart.
HWY_NOINLINE void Pack(std::size_t depth, std::size_t cols, const float* b, std::size_t stride,
                       float* HWY_RESTRICT packed) {
  const std::size_t width = Width();
  const std::size_t panel_width = PanelWidth();
  for (std::size_t col = 0; col < cols; col += panel_width) {
    const std::size_t there = std::min(panel_width, cols - col);
    for (std::size_t k = 0; k < depth; ++k, packed += panel_width) {
      const float* const from = b + k * stride + col;
      if (there == panel_width) {
        for (std::size_t v = 0; v < panel_width; v += width) Put(At(from + v), packed + v);
      } else {
        std::copy_n(from, there, packed);
        std::fill(packed + there, packed + panel_width, 0.0F);
      }
    }
  }
}

// Packs the transpose of b[cols][depth], rows `stride` apart.
HWY_NOINLINE void PackTransposed(std::size_t depth, std::size_t cols, const float* b,
                                 std::size_t stride, float* HWY_RESTRICT packed) {
  const std::size_t panel_width = PanelWidth();
  for (std::size_t col = 0; col < cols; col += panel_width, packed += panel_width * depth) {
    const std::size_t there = std::min(panel_width, cols - col);
    for (std::size_t j = 0; j < panel_width; ++j) {
      const float* const from = b + (col + j) * stride;
      for (std::size_t k = 0; k < depth; ++k) packed[k * panel_width + j] = j < there ? from[k] : 0;
    }
  }
}

// Lays the columns of x[depth][rows] out as the left factor that x's transpose is, tile by tile.
HWY_NOINLINE Left PackLeftTransposed(std::size_t rows, std::size_t depth, const float* x,
                                     std::size_t stride, float* HWY_RESTRICT packed) {
  for (std::size_t row = 0; row < rows; row += kTileRows) {
    const std::size_t there = std::min<std::size_t>(kTileRows, rows - row);
    float* const tile = packed + row * depth;
    for (std::size_t k = 0; k < depth; ++k) {
      for (std::size_t r = 0; r < there; ++r) tile[k * kTileRows + r] = x[k * stride + row + r];
    }
  }
  return {packed, depth, 1, kTileRows};
}

// Floats that packing takes.
HWY_INLINE std::size_t PackedFloats(std::size_t depth, std::size_t cols) {
  return depth * Padded(cols, PanelWidth());
}
HWY_INLINE std::size_t PackedLeftFloats(std::size_t rows, std::size_t depth) {
  return depth * Padded(rows, kTileRows);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sinkproof::language_training
HWY_AFTER_NAMESPACE();

#endif
