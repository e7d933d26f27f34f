// What is asked of a language model's pass, as numbers: attention that sinks, with and without the
// weight of values, norms, cosines, and how far an intervention moves rows and logits.
// LANGUAGE_RULES.md, 5.4; docs/THEORY.md, em-1 to em-5.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "certificate/language.hpp"
#include "language/pass.hpp"

namespace sinkproof::language {

using certificate::LanguageQuestion;
using certificate::LanguageReadout;

// How many numbers a question asks for. Precondition: the sequence is there.
std::size_t numbers_of(const LanguageQuestion& question, const Model& model, std::size_t length);

// SP2006: a position beyond the shortest sequence asked, or what check_request refuses of a
// question's intervention.
exact::Result<void> check_question(const LanguageQuestion& question, const Model& model,
                                   const std::vector<TokenIds>& sequences);

// Of each question its numbers, in the order of LANGUAGE_RULES.md, in units of 2^-p; nothing where
// precision p is too low. One pass for each sequence, and one more for each intervention.
// `finished` is told how many of all passes' layers are done. Precondition: check_request and
// check_question.
using Numbers = std::vector<forward::Range>;
std::optional<std::vector<Numbers>> readouts(
    const Model& model, const std::vector<TokenIds>& sequences,
    const std::vector<LanguageQuestion>& questions, unsigned p, const ForEach& each,
    const std::function<void(std::size_t done, std::size_t all)>& finished = {});

// How many passes that takes, of a sequence.
std::size_t passes_of(std::size_t sequence, const std::vector<LanguageQuestion>& questions);

}  // namespace sinkproof::language
