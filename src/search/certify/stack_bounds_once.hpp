// The bounds of rule `stack` as a journal keeps them (journal.hpp): the degrees of each pass's
// polynomials, and what the pass shows of the rows that are asked.
#pragma once

#include <cstddef>
#include <optional>

#include "certify/certify.hpp"
#include "certify/stack_bounds.hpp"
#include "forward/model.hpp"
#include "json/strict.hpp"

namespace sinkproof::certify {

// StackBounds::make, from the journal if it holds them: several properties rest on them, and with a
// budget of seconds another run of the search may end elsewhere. SP1901: missing from a journal
// that is only read.
exact::Result<StackBounds> stack_bounds_once(const model::AttentionModel& model,
                                             const Options& options,
                                             const forward::Model& exact_model,
                                             const StackSearch& search);

// Which numbers there are.
struct StackShape {
  std::size_t layers = 0;
  std::size_t heads = 0;
  bool rollout = false;
  std::array<bool, forward::BoxBounds::kClasses> asked{};
};

// Of a search that ended without bounds: why.
json::Value to_json(const exact::Result<StackBounds>& bounds, const StackShape& shape);

// The inverse; nothing for anything that is not of this shape. Rows that are not asked are left
// empty.
std::optional<exact::Result<StackBounds>> stack_bounds_from_json(const json::Value& value,
                                                                 const StackShape& shape);

}  // namespace sinkproof::certify
