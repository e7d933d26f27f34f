// The readouts of one head. LANGUAGE_RULES.md, 5.4.
#pragma once

#include <cstddef>
#include <vector>

#include "language/pass.hpp"

namespace sinkproof::language {

class HeadReadouts {
 public:
  // Of an encoder every query counts, else those from the key on.
  HeadReadouts(const HeadRows& rows, bool all_queries, unsigned p);

  // Key `k`, from 0.
  [[nodiscard]] forward::Range alpha(std::size_t k) const;
  [[nodiscard]] forward::Range value_alpha(std::size_t k) const;
  [[nodiscard]] forward::Range norm_product(std::size_t k) const;
  [[nodiscard]] forward::Range cosine(std::size_t k) const;
  [[nodiscard]] forward::Range value_ratio(std::size_t k) const;
  [[nodiscard]] forward::Range broadcast_share(std::size_t k) const;

 private:
  [[nodiscard]] std::size_t first_query(std::size_t k) const { return all_queries_ ? 0 : k; }
  [[nodiscard]] forward::Range mean(const forward::Range& sum, std::size_t count) const;

  const HeadRows& rows_;
  bool all_queries_;
  unsigned p_;
  std::size_t length_;
  std::vector<forward::Range> value_norms_;
  std::vector<forward::Range> key_norms_;
  std::vector<forward::Range> query_norms_;
};

// Norms of a block's rows.
std::vector<forward::Range> norms_of(const forward::Block& rows);
std::vector<forward::Range> norms_of(const forward::Balls& rows);
// <a_i, b_k> / (|a_i| |b_k|), between -1 and 1.
forward::Range cosine_of(const forward::Block& a, std::size_t i, const forward::Range& a_norm,
                         const forward::Block& b, std::size_t k, const forward::Range& b_norm,
                         unsigned p);

}  // namespace sinkproof::language
