// The rigorous forward pass of a language model on token ids: every number lies within what stands
// for it, at a precision the caller chooses. LANGUAGE_RULES.md, 5.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "certificate/language.hpp"
#include "forward/ball.hpp"
#include "language/model.hpp"
#include "language/model_balls.hpp"

namespace sinkproof::language {

using certificate::Intervention;
using certificate::TokenIds;

using HeadRows = forward::HeadRows<ModelBalls>;  // its queries are times 1/sqrt(head width)
using Observer = forward::Observer<ModelBalls>;

// The most positions of a sequence, and the most words a pass may hold.
inline constexpr std::size_t kMostPositions = 4096;
inline constexpr std::uint64_t kMostWords = std::uint64_t{1} << 31U;

// SP2006: no token, an id beyond the vocabulary, or more tokens than positions; an intervention on
// an encoder, on a layer or head there is not, or of an empty window.
exact::Result<void> check_request(const Model& model, const TokenIds& tokens,
                                  const Intervention& intervention);

// The last layer's rows after the final norm, from which `logits` come; nothing where precision p
// is too low. Precondition: check_request, 64 <= p <= kMostPrecision. Throws Rejected where a
// weight is not a finite number.
std::optional<forward::Balls> pass(const Model& model, const TokenIds& tokens,
                                   const Intervention& intervention, unsigned p,
                                   const Observer& observer, const ForEach& each);

// Words that a pass holds at once, with the inputs of all layers where they are `kept`.
// LANGUAGE_RULES.md, 5.1.
std::uint64_t pass_words(const Model& model, std::size_t tokens, unsigned p, bool kept);

}  // namespace sinkproof::language
