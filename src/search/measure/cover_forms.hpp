// The tree of a cover whose leaves are products of sets, each shown by one pass of forms
// (FORM_RULES.md). Every node is looked at by the checker's own function; what is added here is
// where to split.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "certificate/cover.hpp"
#include "language/cover.hpp"
#include "language/model.hpp"

namespace sinkproof::measure {

struct FormTree {
  certificate::CoverNode root;
  // Between which numbers the figures of all sequences lie, but those of accuracy; empty where
  // those of some leaf are not known.
  std::vector<language::Extremes> extremes;
  bool ended = false;  // the budget or the nodes of a certificate ended first
};

// `seconds`, wall clock; 0: no budget. Precondition: check_cover and check_form. Throws Rejected
// where a weight is not a finite number, or a target not an answer.
FormTree form_tree(const certificate::Cover& cover, const language::Model& model, double seconds,
                   unsigned jobs, const std::function<void(double)>& progress);

}  // namespace sinkproof::measure
