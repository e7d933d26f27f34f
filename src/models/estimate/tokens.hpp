// Token ids for a language model: of a file, or drawn, one sequence after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language/model.hpp"

namespace sinkproof::estimate {

using Tokens = std::vector<std::size_t>;

struct Sequence {
  Tokens ids;
  std::string where;  // it is from, for messages: "prompts.jsonl: line 7"
};

// The next sequence, nothing after the last one, or why it cannot be read.
using Sequences = std::function<exact::Result<std::optional<Sequence>>()>;

// Sequences from the first one on, each time it is called, so that no more than a few are in
// memory at a time.
using OpenSequences = std::function<exact::Result<Sequences>()>;

// The most ids of all sequences that are kept in memory.
inline constexpr std::size_t kMostTokens = std::size_t{1} << 20U;

// A JSON list of ids. SP2103: it is something else; SP2101: an id is negative.
exact::Result<Tokens> read_ids(const json::Value& list, const std::string& where);

// A JSON list of ids or of lists of them, or where the file begins as .npy does an array [T] or
// [sequences, T] of integers. SP2103: the file is neither; SP2101: an id is negative. Errors of
// the file and of npy::parse_integers.
exact::Result<std::vector<Tokens>> read_tokens(const std::filesystem::path& path);

// Uniform ids below `vocabulary`. Ids 2t and 2t + 1 of sequence s are the words (0, 1) and (2, 3)
// of philox4x32-10 at counter (t, s, 0, 0) and key (seed mod 2^32, seed div 2^32), read as a
// 64-bit number, low word first, times vocabulary / 2^64, rounded down.
Tokens draw_tokens(std::size_t sequence, std::size_t length, std::uint64_t seed,
                   std::size_t vocabulary);

// SP2101: an id is not in the vocabulary. SP2102: it is empty, or longer than the model's learned
// positions or than kMostLength.
exact::Result<void> check_tokens(const language::Model& model, const Sequence& sequence);

// How many sequences and tokens there are.
struct Extent {
  std::size_t sequences = 0;
  std::size_t tokens = 0;
  std::size_t shortest = 0;
  std::size_t longest = 0;
};

// Of sequences that check_tokens has accepted. SP2102: `where` has none. Errors of reading them and
// of check_tokens.
exact::Result<Extent> extent_of(const language::Model& model, const OpenSequences& open,
                                const std::string& where);

}  // namespace sinkproof::estimate
