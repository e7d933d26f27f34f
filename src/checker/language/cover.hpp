// What a language model does on the sequences of a cover: the one pass over many of them at once,
// and the least and greatest figure. COVER_RULES.md.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "certificate/cover.hpp"
#include "exact/error.hpp"
#include "forward/range.hpp"
#include "language/model.hpp"

namespace sinkproof::language {

struct CoverSequence {
  certificate::TokenIds tokens;
  std::uint32_t target = 0;
};

// Between which numbers the least and the greatest of all figures so far lie.
struct Extremes {
  forward::Range least;
  forward::Range greatest;

  explicit Extremes(const forward::Range& first) : least(first), greatest(first) {}
  void add(const forward::Range& figure);
};

// The set a free position of a cover has, and the position a repeated one has it from: sequences in
// the order of COVER_RULES.md, one after the other.
class SequenceOrder {
 public:
  // `sets` are those of the free positions, in the order of the positions, or parts of them.
  SequenceOrder(const certificate::Cover& cover, const std::vector<certificate::IdSet>& sets);

  // Its tokens; false where there is none left.
  bool next(certificate::TokenIds& tokens);

 private:
  std::vector<std::size_t> from_;           // by position: number of the free one that it is
  std::vector<certificate::TokenIds> ids_;  // by free position
  std::vector<std::size_t> at_;
  bool done_ = false;
};

// SP2006: no logits, an id beyond the vocabulary, more positions than the model has, or a
// statement on a layer or head that it lacks. SP0901: a sequence would hold too
// many words.
exact::Result<void> check_cover(const certificate::Cover& cover, const Model& model);

// Sequences of one pass, at least one: the maps' weights are read once for all of them, and
// together they do not hold too many words.
std::size_t batch_of(const certificate::Cover& cover, const Model& model);

// Of a sequence of the set. Throws Rejected (SP0901) where it is not an answer.
std::uint32_t target_of(const certificate::Cover& cover, const certificate::TokenIds& tokens);

// Of each sequence its margin and, for each statement but those of accuracy, in their order, its
// figure; nothing where precision p is too low. All sequences are equally long. Throws Rejected
// where a weight is not a finite number.
std::optional<std::vector<std::vector<forward::Range>>> cover_figures(
    const certificate::Cover& cover, const Model& model,
    const std::vector<CoverSequence>& sequences);

}  // namespace sinkproof::language
