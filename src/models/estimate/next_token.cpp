#include "estimate/next_token.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinkproof::estimate {

NextToken::NextToken(std::span<const Run> runs) : starts_{0} {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  for (const Run& run : runs) {
    // The last row predicts a token that is not there: its own stands for it, and is not counted.
    for (std::size_t i = 0; i < run.tokens.size(); ++i) {
      rows_.push_back({run.tokens[std::min(i + 1, run.tokens.size() - 1)], kNone, 0, 0});
    }
    starts_.push_back(rows_.size());
  }
}

void NextToken::add(std::size_t first, const Rows& logits) {
  for (std::size_t i = 0; i < logits.rows; ++i) {
    Row& row = rows_[i];
    const double* const each = logits.row(i);
    const double most = std::max(row.most, *std::max_element(each, each + logits.columns));
    row.sum *= std::exp(row.most - most);
    row.most = most;
    for (std::size_t c = 0; c < logits.columns; ++c) row.sum += std::exp(each[c] - most);
    if (row.next >= first && row.next < first + logits.columns) row.logit = each[row.next - first];
  }
}

double NextToken::loss(std::size_t run) const {
  const std::size_t predicted = starts_[run + 1] - starts_[run] - 1;
  if (predicted == 0) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t i = starts_[run]; i < starts_[run] + predicted; ++i) {
    sum += rows_[i].most - rows_[i].logit + std::log(rows_[i].sum);
  }
  return sum / static_cast<double>(predicted);
}

}  // namespace sinkproof::estimate
