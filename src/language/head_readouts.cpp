#include "language/head_readouts.hpp"

#include <algorithm>
#include <string>

#include "certificate/strict.hpp"
#include "forward/elementary.hpp"
#include "forward/whole.hpp"

namespace sinkproof::language {
namespace {

using exact::Integer;
using forward::Block;
using forward::over;
using forward::plus;
using forward::Range;
using forward::times;
using forward::unit;

// part / (part + rest), all >= 0; 0 where nothing is there.
Range share(const Range& part, const Range& rest, unsigned p) {
  Range result{0, unit(p)};
  if (part.upper == 0) return {0, 0};
  const Integer most = part.upper + rest.lower;
  result.upper = forward::ceil_div(part.upper << p, most);
  if (part.lower > 0) result.lower = forward::floor_div(part.lower << p, part.lower + rest.upper);
  return result;
}

}  // namespace

std::vector<Range> norms_of(const Block& rows) {
  std::vector<Range> norms;
  for (std::size_t i = 0; i < rows.rows->rows(); ++i) {
    const Integer& r = rows.rows->radius[i];
    Range squares{0, 0};
    for (std::size_t c = rows.begin; c < rows.begin + rows.width; ++c) {
      const Integer size = forward::magnitude(rows.rows->centre(i, c));
      const Integer least = std::max(Integer(0), Integer(size - r));
      const Integer most = size + r;
      forward::add_product(squares.lower, least, least);
      forward::add_product(squares.upper, most, most);
    }
    norms.push_back(forward::root_of(squares, 0));
  }
  return norms;
}

std::vector<Range> norms_of(const forward::Balls& rows) {
  return norms_of(forward::block(rows, 0, rows.columns()));
}

Range cosine_of(const Block& a, std::size_t i, const Range& a_norm, const Block& b, std::size_t k,
                const Range& b_norm, unsigned p) {
  const Integer one = unit(p);
  const Range sizes = times(a_norm, b_norm, p);
  if (sizes.lower <= 0) return {-one, one};
  const Range cosine = over(forward::logit(a, i, b, k, 1, p), sizes, p);
  return {std::clamp(cosine.lower, Integer(-one), one),
          std::clamp(cosine.upper, Integer(-one), one)};
}

HeadReadouts::HeadReadouts(const HeadRows& rows, bool all_queries, unsigned p)
    : rows_(rows),
      all_queries_(all_queries),
      p_(p),
      length_(rows.weights->size()),
      value_norms_(norms_of(rows.values)),
      key_norms_(norms_of(rows.keys)),
      query_norms_(norms_of(rows.queries)) {}

Range HeadReadouts::mean(const Range& sum, std::size_t count) const {
  return {forward::floor_div(sum.lower, count), forward::ceil_div(sum.upper, count)};
}

Range HeadReadouts::alpha(std::size_t k) const {
  Range sum{0, 0};
  for (std::size_t i = first_query(k); i < length_; ++i) sum = plus(sum, (*rows_.weights)[i][k]);
  return mean(sum, length_ - first_query(k));
}

Range HeadReadouts::value_alpha(std::size_t k) const {
  Range sum{0, 0};
  for (std::size_t i = first_query(k); i < length_; ++i) {
    Range rest{0, 0};
    Range part{0, 0};
    for (std::size_t j = 0; j < length_; ++j) {
      // Of a kernel that may be negative, its size.
      const Range& weight = (*rows_.weights)[i][j];
      Range size{std::max(Integer(0), weight.lower), std::max(Integer(0), weight.upper)};
      if (weight.lower < 0) {
        size = {std::max(Integer(0), Integer(-weight.upper)),
                std::max(Integer(-weight.lower), size.upper)};
      }
      const Range here = times(size, value_norms_[j], p_);
      (j == k ? part : rest) = plus(j == k ? part : rest, here);
    }
    sum = plus(sum, share(part, rest, p_));
  }
  return mean(sum, length_ - first_query(k));
}

Range HeadReadouts::norm_product(std::size_t k) const {
  Range sum{0, 0};
  for (std::size_t i = first_query(k); i < length_; ++i) {
    sum = plus(sum, times(query_norms_[i], key_norms_[k], p_));
  }
  return mean(sum, length_ - first_query(k));
}

Range HeadReadouts::cosine(std::size_t k) const {
  Range sum{0, 0};
  for (std::size_t i = first_query(k); i < length_; ++i) {
    sum = plus(sum, cosine_of(rows_.queries, i, query_norms_[i], rows_.keys, k, key_norms_[k], p_));
  }
  return mean(sum, length_ - first_query(k));
}

Range HeadReadouts::value_ratio(std::size_t k) const {
  Range rest{0, 0};
  for (std::size_t j = 0; j < length_; ++j) {
    if (j != k) rest = plus(rest, value_norms_[j]);
  }
  if (length_ == 1) return {0, 0};
  const Range others = mean(rest, length_ - 1);
  if (others.lower <= 0) {
    throw certificate::Rejected{
        {"SP2008", "value-ratio",
         "layer " + std::to_string(rows_.layer) + ", head " + std::to_string(rows_.head) +
             ": the values of the other keys may all be 0"},
        4};
  }
  return over(value_norms_[k], others, p_);
}

Range HeadReadouts::broadcast_share(std::size_t k) const {
  const forward::Balls& outputs = *rows_.outputs;
  const Block all = forward::block(outputs, 0, outputs.columns());
  const std::vector<Range> norms = norms_of(all);
  Range along{0, 0};
  Range squares{0, 0};
  for (std::size_t i = first_query(k); i < length_; ++i) {
    const Range inner = forward::logit(all, i, rows_.values, k, 1, p_);
    const Integer most = std::max(forward::magnitude(inner.lower), forward::magnitude(inner.upper));
    const bool both = inner.lower < 0 && inner.upper > 0;
    const Integer least =
        both ? Integer(0)
             : std::min(forward::magnitude(inner.lower), forward::magnitude(inner.upper));
    along = plus(along, {least * least, most * most});
    squares = plus(squares, {norms[i].lower * norms[i].lower, norms[i].upper * norms[i].upper});
  }
  const Range& value = value_norms_[k];
  // <o, v>^2 is in units of 2^-2p, |v|^2 |o|^2 in those of 2^-4p.
  const Range sizes{squares.lower * value.lower * value.lower,
                    squares.upper * value.upper * value.upper};
  const Integer one = unit(p_);
  if (sizes.lower <= 0) return {0, one};
  return {std::min(one, forward::floor_div(along.lower << (3 * p_), sizes.upper)),
          std::min(one, forward::ceil_div(along.upper << (3 * p_), sizes.lower))};
}

}  // namespace sinkproof::language
