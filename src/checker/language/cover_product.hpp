// Verdicts about a whole product of sets of ids at once, without a pass for each sequence: of
// models that are one layer of softmax attention. COVER_RULES.md, "Leaves by product".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "certificate/cover.hpp"
#include "exact/error.hpp"
#include "forward/ball.hpp"
#include "forward/range.hpp"
#include "language/model.hpp"

namespace sinkproof::language {

// By free position the ids that may stand there, ascending: all sequences that these give.
using IdProduct = std::vector<certificate::TokenIds>;

// SP2006: the model has an MLP, more layers, a norm or projection after attention, a window, or
// another attention than softmax. SP0901: the tables would hold too many words.
exact::Result<void> check_product(const certificate::Cover& cover, const Model& model);

// Calls `each` with products on which the target is the same, and that target: disjoint, and
// together the whole; until it says false. Gives whether it never did. Throws Rejected (SP0901)
// where a target is not an answer.
bool by_target(const certificate::Cover& cover, const IdProduct& whole,
               const std::function<bool(const IdProduct&, std::uint32_t)>& each);

// What the last row makes of each id at each position: as it is a function of the id and the
// position alone, a table. Precondition of all: check_cover and check_product.
class CoverProduct {
 public:
  // Of one id at the last position: by head and row (position times number of ids, plus the id's
  // number) the exponential of the score less one number of the head, in units of 2^-bits[head].
  struct Last {
    std::uint32_t id;
    std::vector<unsigned> bits;
    std::vector<std::vector<forward::Range>> weights;
  };

  // Nothing where the precision is too low. Throws Rejected (SP0405) where a weight is not a finite
  // number. The cover outlives it.
  static std::optional<CoverProduct> of(const certificate::Cover& cover, const Model& model);

  // Nothing where the precision is too low. Throws Rejected (SP2006) where scores of a head are
  // over 4096 apart.
  [[nodiscard]] std::optional<Last> last(std::uint32_t id) const;

  // Whether all sequences of the product are shown to have margin > 0 (right) or < 0 (wrong). Their
  // last position has the one id of `last`.
  [[nodiscard]] bool shows(certificate::CoverVerdict verdict, const Last& last,
                           const IdProduct& product) const;

  // Number of the free position that is the last one, from 0.
  [[nodiscard]] std::size_t last_free() const { return free_.back(); }
  [[nodiscard]] std::size_t heads() const { return heads_; }
  [[nodiscard]] std::size_t rows() const { return free_.size() * ids_.size(); }
  // Rows of tables of a free position's id: one for each position that has it.
  [[nodiscard]] const std::vector<std::size_t>& rows_of(std::size_t free, std::uint32_t id) const {
    return rows_[free][number_[id]];
  }
  // The logits of the last row without attention, as far as its own id gives them; and what a row
  // adds to them where the head's weight is all on it. By id of an answer.
  [[nodiscard]] forward::Range own(std::uint32_t last, std::uint32_t answer) const;
  [[nodiscard]] forward::Range value(std::size_t head, std::size_t row, std::uint32_t answer) const;

 private:
  CoverProduct(const certificate::Cover& cover, const Model& model);
  void read(const Model& model);
  void read_values(const Model& model, const std::vector<forward::Balls>& values);
  bool exceeds(const Last& last, const IdProduct& product, std::uint32_t answer,
               std::uint32_t other) const;
  struct Sum;
  Sum least(const Last& last, const IdProduct& product, std::size_t head, std::uint32_t answer,
            std::uint32_t other, const exact::Integer& c) const;

  const certificate::Cover* cover_;
  std::vector<std::size_t> free_;  // by position, the number of the free one that it is
  std::size_t heads_;
  certificate::TokenIds ids_;                                // that stand anywhere
  std::vector<std::size_t> number_;                          // of an id among them
  std::vector<std::vector<std::vector<std::size_t>>> rows_;  // by free position and id's number
  std::vector<forward::Balls> queries_;                      // by head, a row for each id
  std::vector<forward::Balls> keys_;                         // by head and row
  forward::Balls own_;                                       // by id
  std::vector<forward::Balls> values_;                       // by head and row
};

}  // namespace sinkproof::language
