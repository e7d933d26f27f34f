// The heads of a language certificate as a table to sort, with the numbers that tell a no-op from a
// broadcast.
#pragma once

#include <string>

#include "report/language_reading.hpp"

namespace sinkproof::report {

// About the sink position, by falling alpha; "" where no alphas are stated. The first
// kMostHeads of a larger model.
inline constexpr std::size_t kMostHeads = 256;
std::string head_table(const LanguageAudit& audit);

// Which heads sink and how much, in a sentence of text without its full stop; "" where no alphas or
// no share of the sink position are stated.
std::string language_headline(const LanguageAudit& audit);

}  // namespace sinkproof::report
