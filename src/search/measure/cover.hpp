// What a language model does on every sequence of a set, and its certificate (COVER_RULES.md). The
// figures come from the trusted pass itself (language/cover.hpp); what is added here is room for
// other checkers, and the smallest tree of verdicts.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "certificate/cover.hpp"
#include "exact/error.hpp"
#include "language/folder.hpp"

namespace sinkproof::measure {

// More sequences than these are not begun without a budget.
inline constexpr std::size_t kMostWithoutBudget = std::size_t{1} << 24U;

struct CoverRequest {
  const language::Folder& folder;
  // Inputs, answers and target, and the figures that are asked for: statements without numbers.
  certificate::Cover asked;
  double seconds = 0;  // wall clock; 0: no budget
  unsigned jobs = 1;   // threads
  // Decide products of sets at once, without a pass for each sequence: of accuracy alone by tables
  // where the model allows it, else by forms.
  bool products = false;
};

// A sequence that has the least, and one that has the greatest figure, as far as is known.
struct CoverExamples {
  certificate::TokenIds least, greatest;
};

struct FoundCover {
  certificate::Cover cover;
  // The budget ended before every sequence was evaluated: the rest is undecided, and so is what
  // lies too deep in the tree. Only of forms the cover then states more than how many are
  // decided. Of products and forms it also says that the certificate has no room for more nodes.
  bool ended = false;
  std::vector<CoverExamples> examples;  // by statement; of accuracy none
  json::Value certificate;              // `cover`, written
};

// SP2006: the request does not fit the model. SP2007: 2048 bits do not suffice. SP2010: more than
// kMostWithoutBudget sequences and no budget, or more than a certificate can count. SP2011: the
// tree is larger or deeper than a certificate's may be. Errors of non-finite weights (SP0405), and
// SP0901 where a target is not among the answers or another limit of certificates is exceeded.
// `progress` is told the share that is done, from one thread at a time.
exact::Result<FoundCover> find_cover(const CoverRequest& request,
                                     const std::function<void(double)>& progress = {});

}  // namespace sinkproof::measure
