// Bounds over all inputs for stacks of layers, with or without residual connections: by the pass
// over the box (forward/box_pass.hpp), with the highest degree of its polynomials that time and
// effort allow, and exact witnesses on the other side. Rule `stack`.
#pragma once

#include "certify/certify.hpp"

namespace sinkproof::certify {

// Losses, floors and ceilings of a model of any depth; Options::stack says of which triggers and
// heads. SP1402 as certify(). SP1403: a number is beyond the pass's range. SP1410: triggers, a
// layer or a head that the model has not. SP1413: the seconds do not last. Precondition: 1 to 64
// heads, 1 to 64 layers, 4 <= d_model <= 4096.
exact::Result<Certification> certify_stack(const model::AttentionModel& model,
                                           const Options& options);

}  // namespace sinkproof::certify
