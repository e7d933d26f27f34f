// Thresholds of the sink metric of docs/THEORY.md, em-1.
#pragma once

#include <cstddef>
#include <string>

#include "cli/command.hpp"
#include "exact/error.hpp"
#include "exact/rational.hpp"

namespace sinkproof::cli {

// The number --epsilon says; SP1509: it says none, or one that is not above 0 and at most 1.
exact::Result<exact::Rational> sink_threshold(const std::string& text);

// --epsilon and --position, counted from 1, with the defaults of arXiv:2410.10781.
void add_sink_threshold(const Command& command, std::string& epsilon, std::size_t& position);

}  // namespace sinkproof::cli
