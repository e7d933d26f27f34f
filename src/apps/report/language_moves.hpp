// How far interventions move what a language model computes: caches that forget, heads without
// their sink.
#pragma once

#include <string>

#include "report/language_reading.hpp"

namespace sinkproof::report {

// The curves by layer of those that move the logits most, a table of all (the first
// kMostInterventions), and a picture by layer and head where each head is ablated; "" where none is
// stated. `anchor` begins the drawings' ids.
inline constexpr std::size_t kMostInterventions = 256;
std::string move_block(const LanguageAudit& audit, const std::string& anchor);

// "first 4, window 64, renumbered", "layer 1, head 0 without key 1".
std::string intervention_name(const certificate::Intervention& intervention);

}  // namespace sinkproof::report
