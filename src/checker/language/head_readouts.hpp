// The readouts of one head. LANGUAGE_RULES.md, 5.4.
#pragma once

#include <cstddef>
#include <vector>

#include "language/pass.hpp"

namespace sinkproof::language {

// A head's rows and what several readouts ask of them. Of an encoder every query counts, else those
// from the key on.
struct MeasuredHead {
  const HeadRows& rows;
  bool all_queries;
  unsigned p;
  std::vector<forward::Range> query_norms, key_norms, value_norms;

  [[nodiscard]] std::size_t length() const { return rows.weights.size(); }
  [[nodiscard]] std::size_t first_query(std::size_t k) const { return all_queries ? 0 : k; }
};

MeasuredHead measured(const HeadRows& rows, bool all_queries, unsigned p);

// Of key `k`, from 0.
forward::Range alpha(const MeasuredHead& head, std::size_t k);
forward::Range value_alpha(const MeasuredHead& head, std::size_t k);
forward::Range norm_product(const MeasuredHead& head, std::size_t k);
forward::Range cosine(const MeasuredHead& head, std::size_t k);
forward::Range value_ratio(const MeasuredHead& head, std::size_t k);
forward::Range broadcast_share(const MeasuredHead& head, std::size_t k);

// Norms of a block's rows.
std::vector<forward::Range> norms_of(const forward::Block& rows);
std::vector<forward::Range> norms_of(const forward::Balls& rows);
// <a_i, b_k> / (|a_i| |b_k|), between -1 and 1.
forward::Range cosine_of(const forward::Block& a, std::size_t i, const forward::Range& a_norm,
                         const forward::Block& b, std::size_t k, const forward::Range& b_norm,
                         unsigned p);

}  // namespace sinkproof::language
