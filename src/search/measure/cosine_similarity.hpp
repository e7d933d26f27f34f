// Average cosine similarity of the rows of sequences ([L], Figure 1; claim sm-1), enclosed.
#pragma once

#include <optional>

#include "exact/exp_enclosure.hpp"
#include "measure/vectors.hpp"

namespace sinkproof::measure {

struct CosineSimilarity {
  std::size_t pairs = 0;                 // i < l of one sequence, both rows not zero
  std::size_t skipped = 0;               // pairs with a zero row: they have no cosine
  std::optional<exact::Enclosure> mean;  // over `pairs`; nothing when there are none
};

// Rows 0..length-1 are the first sequence, and so on. Precondition: length >= 1.
CosineSimilarity average_cosine(const DyadicMatrix& rows, std::size_t length);

}  // namespace sinkproof::measure
