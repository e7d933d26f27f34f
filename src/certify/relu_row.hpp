// ReLU attention, rows of content queries (before and after the trigger).
//
// Where every score is certainly <= 0 over the box the row is certainly zero. Otherwise a key's
// contribution relu(score) * s v is at most (theta * score + s v / theta)^2 / 4 for any theta > 0
// (the inequality of the means), whose root is a sign form in the query's noise.
#pragma once

#include "certify/head.hpp"
#include "certify/proof.hpp"
#include "certify/row_class.hpp"

namespace sinkproof::certify {

// Smallest provable bound on the loss at these rows. rows: kPre, or kPost with length >= 4. Row 1
// (BOS alone) belongs to kPre; its loss is an exact number.
Proof bound_relu_row_loss(const Head& head, RowClass rows, const Effort& effort);

// sup of relu(score) * sign * v over query and key noise: the square of a certified root.
struct ProductBound {
  exact::Rational theta;
  exact::Rational root;  // (root / 2)^2 bounds the product; 0 when both factors cannot be positive
  std::string tree;
  [[nodiscard]] json::Value entry() const;
  [[nodiscard]] exact::Rational product() const { return root * root / 4; }
};
ProductBound bound_product(const Head& head, std::size_t query_flag, std::size_t key_flag,
                           std::size_t coordinate, int sign, std::span<const std::size_t> order,
                           const Effort& effort);

// sup of the BOS key's score over the query's noise, exactly.
exact::Rational bos_score_supremum(const Head& head, std::size_t query_flag);

// sup of the BOS attention of rows of this class (position >= 2 for kPre), exactly; attained at a
// vertex.
Proof relu_bos_ceiling(const Head& head, RowClass rows);

}  // namespace sinkproof::certify
