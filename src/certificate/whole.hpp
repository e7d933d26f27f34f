// Whole numbers and indices in a certificate's evidence (VECTOR_RULES.md): integers written as
// strings, so that they can be long, and JSON integers that count vectors.
#pragma once

#include <cstddef>
#include <string>

#include "exact/error.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

inline constexpr std::size_t kMaxWholeCharacters = 20000;

// A string -?(0|[1-9][0-9]*), not "-0", of at most `max_characters`. SP0503 otherwise.
exact::Result<exact::Integer> whole(const json::Value& value, std::size_t max_characters,
                                    const std::string& where);

// A JSON integer in 0..count-1. SP0503 otherwise.
exact::Result<std::size_t> index_of(const json::Value& value, std::size_t count,
                                    const std::string& where);

}  // namespace sinkproof::certificate
