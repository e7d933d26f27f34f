// The cross-entropy of each sequence's next tokens, in nats, from logits that come a panel of the
// vocabulary at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "estimate/pass.hpp"
#include "estimate/rows.hpp"

namespace sinkproof::estimate {

class NextToken {
 public:
  explicit NextToken(std::span<const Run> runs);

  // Logits of all rows for vocabulary entries first .. first + columns - 1. Every entry is shown
  // once.
  void add(std::size_t first, const Rows& logits);

  // The mean over a run's rows 1 .. T - 1 of -log p(token i + 1 | tokens 1 .. i); NaN of one token.
  [[nodiscard]] double loss(std::size_t run) const;

 private:
  struct Row {
    std::size_t next = 0;  // the token to predict
    double most = 0;       // of the logits so far
    double sum = 0;        // of exp(logit - most)
    double logit = 0;      // of `next`
  };
  std::vector<std::size_t> starts_;  // of the runs, and the end
  std::vector<Row> rows_;
};

}  // namespace sinkproof::estimate
