// A cover certificate as data, read strictly and in one place: what a language model does on every
// sequence of a set. COVER_RULES.md. Whether what it states is true is for check/ to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certificate/language.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

// All ids from `first` to `last`.
struct IdRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  auto operator<=>(const IdRange&) const = default;
};

// Ascending, not empty, with a gap between two ranges.
using IdSet = std::vector<IdRange>;

std::uint64_t size_of(const IdSet& ids);
bool contains(const IdSet& ids, std::uint32_t id);
// Ascending.
TokenIds listed(const IdSet& ids);
// Of ids in ascending order, each once.
IdSet id_set(const TokenIds& ids);

struct CoverPosition {
  IdSet ids;                           // of a free one
  std::optional<std::size_t> repeats;  // else the position, from 1, whose id it has
  bool operator==(const CoverPosition&) const = default;
};

enum class TargetRule { kSum, kMaximum, kCopy, kTable };

struct CoverTarget {
  TargetRule rule = TargetRule::kCopy;
  std::vector<std::size_t> of;  // positions, from 1
  std::uint32_t modulo = 1;     // of kSum
  TokenIds table;               // of kTable
  bool operator==(const CoverTarget&) const = default;
};

enum class CoverVerdict { kRight, kWrong, kUndecided };

// What shows a leaf's verdict: a pass for each sequence, tables of one layer, or one pass of forms.
enum class CoverProof { kSequences, kProduct, kForm };

// The most nodes that are split on a path from the outermost to a leaf: each takes three of the 64
// levels that a certificate's objects and arrays may nest.
inline constexpr std::size_t kMostSplits = 20;

inline constexpr std::size_t kMostCoverNodes = std::size_t{1} << 20U;

// The most characters of a number.
inline constexpr std::size_t kMostCoverCharacters = 100;

// A leaf has a verdict, any other node parts.
struct CoverNode {
  struct Part;
  std::optional<CoverVerdict> verdict;
  CoverProof by = CoverProof::kSequences;  // of a leaf
  std::size_t position = 1;                // from 1
  std::vector<Part> parts;
};

struct CoverNode::Part {
  IdSet ids;
  CoverNode node;
};

enum class CoverFigure { kAccuracy, kMargin, kAttention, kLogit };

struct CoverStatement {
  CoverFigure figure = CoverFigure::kAccuracy;
  exact::Integer right, wrong, undecided;  // of kAccuracy
  std::size_t layer = 0, head = 0;         // of kAttention, from 0
  std::size_t key = 1;                     // from 1
  std::uint32_t id = 0;                    // of kLogit
  // Lower and upper end, of all but kAccuracy.
  std::vector<exact::Rational> least, greatest;
};

struct Cover {
  std::string claim_sha256;
  ModelFiles model;
  unsigned precision = 0;
  std::vector<CoverPosition> positions;
  IdSet answers;
  CoverTarget target;
  CoverNode cover;
  std::vector<CoverStatement> statements;

  // Of all sequences.
  [[nodiscard]] exact::Integer count() const;
  // The sets of the free positions, in their order.
  [[nodiscard]] std::vector<IdSet> free_sets() const;
  // By position, from 0: the number among the free ones, from 0, of the one whose id it has.
  [[nodiscard]] std::vector<std::size_t> free_numbers() const;
  // All but those of accuracy, in their order.
  [[nodiscard]] std::vector<const CoverStatement*> figures() const;
  // Whether any leaf is shown so.
  [[nodiscard]] bool has(CoverProof by) const;
};

// Throws Rejected: SP0503, SP0101: a key or value that is not of the form; SP0901: a value outside
// what the page allows. All name the field.
Cover read_cover(const json::Value& certificate);

// The description that reads and writes it (schema.hpp).
void describe(Fields& io, Cover& of);

}  // namespace sinkproof::certificate
