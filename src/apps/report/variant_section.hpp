// The map of variants (docs/THEORY.md, tc-8): which kinds of attention need a sink, by which bound
// and evidence, and beside each what is certified of a checkpoint trained with it.
#pragma once

#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// The section: one table for each accepted theory certificate whose claim has variants; "" when
// there is none. Checkpoints are matched by their certificate's file name without .json, and shown
// only if the checker accepted them and they have the attention the variant names. `checkpoints`
// are in the order of the cards (checkpoint_section.hpp). SP1202: an accepted certificate is not of
// the form the checker accepts.
exact::Result<std::string> variant_section(const std::vector<const Input*>& theory,
                                           const std::vector<const Input*>& checkpoints,
                                           const Options& options);

}  // namespace sinkproof::report
