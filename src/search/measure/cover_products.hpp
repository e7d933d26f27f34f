// The tree of a cover whose leaves are products of sets that are decided at once (COVER_RULES.md,
// "Leaves by product"). It is found in doubles, and every leaf is then shown by the checker's own
// arithmetic (language/cover_product.hpp).
#pragma once

#include <functional>
#include <optional>

#include "certificate/cover.hpp"
#include "language/model.hpp"

namespace sinkproof::measure {

struct ProductTree {
  certificate::CoverNode root;
  // The budget ended, or the certificate has no room for more nodes: the rest is undecided.
  bool ended = false;
};

// Nothing where the cover's precision is too low. `seconds`, wall clock; 0: no budget.
// Precondition: check_cover and check_product. Throws Rejected where a weight is not a finite
// number, or a target not an answer.
std::optional<ProductTree> product_tree(const certificate::Cover& cover,
                                        const language::Model& model, double seconds, unsigned jobs,
                                        const std::function<void(double)>& progress);

}  // namespace sinkproof::measure
