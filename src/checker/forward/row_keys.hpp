// Rows as keys of rows behind them, for kinds of attention whose weights are not shares: affine in
// their own noise, within ranges. MOMENT_KERNELS.md.
#pragma once

#include <vector>

#include "forward/moment_model.hpp"

namespace sinkproof::forward {

// A row: centre + columns u within radius, u its unit noise.
struct LinearRow {
  std::vector<Word> centre;
  exact::Matrix<Word> columns;
  std::vector<Word> radius;
};
LinearRow linear_row(const Series& row, const MomentModel& model);

// Keys at a layer that each are one of the rows at a position, and the scales of their letters by
// position, in 256ths.
struct RowKeys {
  ContentKeys keys;
  std::vector<std::vector<Word>> scales;
};
// Precondition: at least one row.
RowKeys row_keys(const std::vector<std::vector<const LinearRow*>>& rows, std::size_t layer,
                 const MomentModel& model);
// Noise alone: tokens.
RowKeys token_keys_of(const ContentKeys& token, std::size_t count);
SeenKeys seen_of(const RowKeys& rows, std::size_t count);

}  // namespace sinkproof::forward
