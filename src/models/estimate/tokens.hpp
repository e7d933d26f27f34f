// Token ids for a language model: of a file, or drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "exact/error.hpp"
#include "language/model.hpp"

namespace sinkproof::estimate {

using Tokens = std::vector<std::size_t>;

// The most ids of all sequences.
inline constexpr std::size_t kMostTokens = std::size_t{1} << 20U;

// A JSON list of ids or of lists of them, or where the file begins as .npy does an array [T] or
// [sequences, T] of integers. SP2103: the file is neither; SP2101: an id is negative. Errors of
// the file and of npy::parse_integers.
exact::Result<std::vector<Tokens>> read_tokens(const std::filesystem::path& path);

// Uniform ids below `vocabulary`. Ids 2t and 2t + 1 of sequence s are the words (0, 1) and (2, 3)
// of philox4x32-10 at counter (t, s, 0, 0) and key (seed mod 2^32, seed div 2^32), read as a
// 64-bit number, low word first, times vocabulary / 2^64, rounded down.
std::vector<Tokens> draw_tokens(std::size_t sequences, std::size_t length, std::uint64_t seed,
                                std::size_t vocabulary);

// SP2101: an id is not in the vocabulary. SP2102: no sequence, an empty one, one longer than the
// model's learned positions or than kMostLength, or more than kMostTokens ids.
exact::Result<void> check_tokens(const language::Model& model, const std::vector<Tokens>& sequences,
                                 const std::string& where);

}  // namespace sinkproof::estimate
