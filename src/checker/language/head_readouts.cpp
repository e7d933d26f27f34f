#include "language/head_readouts.hpp"

#include <algorithm>
#include <string>

#include "certificate/strict.hpp"
#include "exact/whole.hpp"
#include "forward/elementary.hpp"

namespace sinkproof::language {
namespace {

using exact::Integer;
using forward::Block;
using forward::over;
using forward::Range;
using forward::times;

// Over the queries of key k.
template <typename OfQuery>
Range sum_over(const MeasuredHead& head, std::size_t k, const OfQuery& of_query) {
  Range sum{0, 0};
  for (std::size_t i = head.first_query(k); i < head.length(); ++i) sum = sum + of_query(i);
  return sum;
}

template <typename OfQuery>
Range mean_over(const MeasuredHead& head, std::size_t k, const OfQuery& of_query) {
  return divided(sum_over(head, k, of_query), head.length() - head.first_query(k));
}

Range square(const Range& size) { return {size.lower * size.lower, size.upper * size.upper}; }

}  // namespace

std::vector<Range> norms_of(const Block& rows) {
  std::vector<Range> norms;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    Range squares{0, 0};
    for (std::size_t c = rows.begin; c < rows.begin + rows.width; ++c) {
      squares = squares + square(absolute(forward::entry_of(*rows.matrix, rows.first + i, c)));
    }
    norms.push_back(forward::root_of(squares, 0));
  }
  return norms;
}

std::vector<Range> norms_of(const forward::Balls& rows) { return norms_of(forward::block(rows)); }

Range cosine_of(const Block& a, std::size_t i, const Range& a_norm, const Block& b, std::size_t k,
                const Range& b_norm, unsigned p) {
  const Integer one = unit(p);
  const Range sizes = times(a_norm, b_norm, p);
  if (sizes.lower <= 0) return {-one, one};
  return clamped(over(forward::logit(a, i, b, k, 1, p), sizes, p), -one, one);
}

MeasuredHead measured(const HeadRows& rows, bool all_queries, unsigned p) {
  return {rows, all_queries, p, norms_of(rows.queries), norms_of(rows.keys), norms_of(rows.values)};
}

Range alpha(const MeasuredHead& head, std::size_t k) {
  return mean_over(head, k, [&](std::size_t i) { return head.rows.weights[i][k]; });
}

Range value_alpha(const MeasuredHead& head, std::size_t k) {
  return mean_over(head, k, [&](std::size_t i) {
    Range rest{0, 0};
    Range part{0, 0};
    for (std::size_t j = 0; j < head.length(); ++j) {
      const Range size = absolute(head.rows.weights[i][j]);  // kernels may be negative
      Range& sum = j == k ? part : rest;
      sum = sum + times(size, head.value_norms[j], head.p);
    }
    return share(part, rest, head.p);
  });
}

Range norm_product(const MeasuredHead& head, std::size_t k) {
  return mean_over(head, k, [&](std::size_t i) {
    return times(head.query_norms[i], head.key_norms[k], head.p);
  });
}

Range cosine(const MeasuredHead& head, std::size_t k) {
  return mean_over(head, k, [&](std::size_t i) {
    return cosine_of(head.rows.queries, i, head.query_norms[i], head.rows.keys, k,
                     head.key_norms[k], head.p);
  });
}

Range value_ratio(const MeasuredHead& head, std::size_t k) {
  if (head.length() == 1) return {0, 0};
  Range rest{0, 0};
  for (std::size_t j = 0; j < head.length(); ++j) {
    if (j != k) rest = rest + head.value_norms[j];
  }
  const Range others = divided(rest, head.length() - 1);
  certificate::require(others.lower > 0, "value-ratio",
                       "layer " + std::to_string(head.rows.layer) + ", head " +
                           std::to_string(head.rows.head) +
                           ": the values of the other keys may all be 0",
                       "SP2008");
  return over(head.value_norms[k], others, head.p);
}

Range broadcast_share(const MeasuredHead& head, std::size_t k) {
  const auto output = [&](std::size_t i) {
    const forward::Balls& row = head.rows.outputs[i];
    return forward::block(row);
  };
  const Range along = sum_over(head, k, [&](std::size_t i) {
    return square(absolute(forward::logit(output(i), 0, head.rows.values, k, 1, head.p)));
  });
  const Range squares =
      sum_over(head, k, [&](std::size_t i) { return square(norms_of(output(i)).front()); });
  // <o, v>^2 is in units of 2^-2p, |v|^2 |o|^2 in those of 2^-4p.
  const Range value = square(head.value_norms[k]);
  const Range sizes{squares.lower * value.lower, squares.upper * value.upper};
  const Integer one = unit(head.p);
  if (sizes.lower <= 0) return {0, one};
  return clamped(over(along, sizes, 3 * head.p), 0, one);
}

}  // namespace sinkproof::language
