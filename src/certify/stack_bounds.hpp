// The bounds of a stack over the whole box as a journal keeps them (journal.hpp): of each class of
// rows, the degrees of the polynomials that did best, and what they show.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "certify/row_class.hpp"
#include "exact/error.hpp"
#include "forward/box_pass.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

// The bounds of a pass, and the degrees of the polynomials it was made with.
struct Made {
  std::size_t degree = 1;
  std::size_t row_degree = 1;
  forward::BoxBounds bounds;
};
using BestOfRows = std::array<Made, forward::BoxBounds::kClasses>;  // by RowClass

// Which numbers there are.
struct StackShape {
  std::size_t layers = 0;
  std::size_t heads = 0;
  std::array<bool, forward::BoxBounds::kClasses> asked{};

  [[nodiscard]] std::string part() const;  // "bounds pre trigger"
};

// Of a search that ended without bounds: why.
json::Value to_json(const exact::Result<BestOfRows>& made, const StackShape& shape);

// The inverse; nothing for anything that is not of this shape. Classes that are not asked are left
// empty.
std::optional<exact::Result<BestOfRows>> bounds_from_json(const json::Value& value,
                                                          const StackShape& shape);

}  // namespace sinkproof::certify
