// A model's maps applied to rows by OpenBLAS, a panel of the map's outputs at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "estimate/rows.hpp"
#include "language/model.hpp"

namespace sinkproof::estimate {

// Buffers that are used again from one map to the next.
struct Panel {
  std::vector<double> weights;
  std::vector<double> bias;
};

// y = W x + b for each row, or y += W x + b. False: a weight is a NaN or an infinity.
// Preconditions: x.columns == map.in; to add, y is [x.rows, map.out].
bool apply(const language::Map& map, const Rows& x, bool add, Matrix& y, Panel& panel);

// The same, shown to `visit` a panel of outputs at a time: outputs first .. first + columns - 1 of
// every row.
bool apply_by_panels(const language::Map& map, const Rows& x, Panel& panel,
                     const std::function<void(std::size_t first, const Rows& outputs)>& visit);

// A map's weights as doubles, [in, out]. False: a weight is a NaN or an infinity.
bool widened(const language::Map& map, Matrix& to);

}  // namespace sinkproof::estimate
