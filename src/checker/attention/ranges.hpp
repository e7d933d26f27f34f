// Between which numbers logits and kernels lie, by the flags of query and key. CHECKPOINT_RULES.md,
// 4.9.
#pragma once

#include <optional>
#include <vector>

#include "attention/obligations.hpp"
#include "attention/shapes.hpp"

namespace sinkproof::check {

// factor * (logit of a key of the class, less that of the key of flag `reference`), at its largest
// over the key's noise, as a function of the query's.
SignForm logit_form(const Head& head, std::size_t query, Key key,
                    std::optional<std::size_t> reference, int factor);

// Between which numbers the logit of a head's gate lies at queries of a flag.
certificate::Interval gate_logits(const Gate& gate, std::size_t flag);

// The logit of BOS on itself, where more than ratios to it matter in row 1; else 0.
exact::Rational first_logit(const Layer& layer, std::size_t head);

// The certificate's ranges hold for this layer. Throws Rejected otherwise.
void require_ranges(const Layer& layer, const std::vector<certificate::HeadRanges>& ranges,
                    Obligations& proof);

}  // namespace sinkproof::check
