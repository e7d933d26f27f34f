// What is known of each cost of a vector certificate beyond its interval: whether the vectors have
// the structure of docs/THEORY.md section 5, what co-1 to co-4 then say, and which of two patterns
// is provably cheaper.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "model/sink_and_diagonal.hpp"
#include "report/vector_file.hpp"
#include "report/vector_reading.hpp"

namespace sinkproof::report {

struct CostFinding {
  Cost cost;
  std::optional<model::SinkAndDiagonal> structure;
  std::optional<model::ClosedForm> closed;  // present exactly when the structure is
  std::string why_not;                      // "" when it is
};

// The certificate's costs, in its order. `file` is null when it could not be read. SP1205: a
// certified cost contradicts a closed form.
exact::Result<std::vector<CostFinding>> find_costs(const Vectors& vectors, const VectorFile* file,
                                                   const std::string& where);

enum class Cheaper { kSink, kDiagonal, kNotDecided };

struct Comparison {
  Cheaper cheaper = Cheaper::kNotDecided;
  exact::Enclosure difference;            // diagonal minus sink
  std::optional<exact::Enclosure> ratio;  // diagonal over sink; absent when the sink may cost 0
};

// Two costs of the same margin and roles. The cheaper one is decided only where the intervals lie
// apart.
Comparison compare_costs(const exact::Enclosure& sink, const exact::Enclosure& diagonal);

// "4 groups of 6 tokens", "groups of 2, 4 tokens".
std::string sizes_in_words(const std::vector<std::size_t>& sizes);

bool is_sink(certificate::PatternKind kind);

}  // namespace sinkproof::report
