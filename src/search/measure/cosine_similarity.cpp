#include "measure/cosine_similarity.hpp"

#include <algorithm>

#include "measure/cosine.hpp"

namespace sinkproof::measure {
namespace {

DyadicMatrix rows_between(const DyadicMatrix& rows, std::size_t begin, std::size_t end) {
  DyadicMatrix part{exact::Matrix<exact::Integer>(end - begin, rows.columns()), rows.scale};
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      part.entries(i - begin, j) = rows.entries(i, j);
    }
  }
  return part;
}

}  // namespace

CosineSimilarity average_cosine(const DyadicMatrix& rows, std::size_t length) {
  CosineSimilarity result;
  exact::Enclosure sum{0, 0};
  for (std::size_t begin = 0; begin < rows.rows(); begin += length) {
    const std::size_t end = std::min(begin + length, rows.rows());
    const exact::RationalMatrix gram = gram_matrix(rows_between(rows, begin, end));
    for (std::size_t l = 1; l < gram.rows(); ++l) {
      for (std::size_t i = 0; i < l; ++i) {
        if (gram(i, i) == 0 || gram(l, l) == 0) {
          ++result.skipped;
          continue;
        }
        const exact::Enclosure one = cosine(gram(i, l), gram(i, i), gram(l, l));
        sum.lower += one.lower;
        sum.upper += one.upper;
        ++result.pairs;
      }
    }
  }
  if (result.pairs > 0) {
    const exact::Rational count(result.pairs);
    result.mean = exact::Enclosure{sum.lower / count, sum.upper / count};
  }
  return result;
}

}  // namespace sinkproof::measure
