// A run of `sinkproof cost` (claim co-6) from its request to what was certified: for each pattern
// asked for what scoring the embeddings so costs, or that no matrix does, and what the closed forms
// co-1 to co-4 say of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certificate/pattern.hpp"
#include "exact/error.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"
#include "measure/accept.hpp"
#include "measure/cost.hpp"
#include "measure/map_file.hpp"
#include "measure/pattern_request.hpp"
#include "measure/representable.hpp"
#include "measure/vectors.hpp"
#include "model/sink_and_diagonal.hpp"

namespace sinkproof::measure {

// What can be said on the command line; errors name its options.
struct WeighRequest {
  std::string file;
  std::optional<std::string> tensor;  // default: the only one
  PatternRequest pattern;
  bool closed_forms = false;  // a hypothesis of theirs that fails is an error
  bool allow_dependent = false;
  bool representable = false;  // the Frobenius margin too (ge-1)
  double gap = 0.02;
  double seconds = 300;  // for each pattern
  std::string save;      // PREFIX of the files the maps go to; "" for none
};

// What is known of one pattern.
struct Answer {
  certificate::PatternKind kind;
  std::string name;
  std::string verdict;                      // "enclosed", "refuted" (infeasible), "unknown"
  exact::Result<model::ClosedForm> closed;  // or the hypothesis that fails
  std::optional<Cost> cost;
  std::optional<Representability> representable;
  std::size_t constraints = 0;
  std::string reason;
};

struct Weighing {
  NamedFile file;
  Tokens tokens;
  std::vector<Answer> answers;
  json::Value certificate;  // null when nothing was certified
  std::vector<SavedMap> saved;
};

// How the search for a pattern's cost stands: the relative gap so far.
using WeighProgress = std::function<void(const std::string& pattern, double gap)>;

// SP1604: no token besides BOS. SP1608, SP1609, SP1610: zero, equal or dependent tokens. SP1614:
// more than 256. SP1616 to SP1620: a hypothesis of the closed forms that were demanded. SP1205:
// what was certified contradicts them. Errors of the files, of PatternRequest, of the searches and
// of claim::refusal. A map is written only after the checker has taken the certificate.
exact::Result<Weighing> weigh(const WeighRequest& request, const std::string& claim_hash,
                              const Accept& accept, const WeighProgress& progress);

// Every pair of patterns with costs: which is certainly cheaper.
struct Comparison {
  std::string cheaper;  // "" when the intervals overlap
  std::string first;
  std::string second;
  exact::Rational difference_lower;  // second minus first
  exact::Rational difference_upper;
  std::optional<exact::Rational> ratio_lower;  // second over first
  std::optional<exact::Rational> ratio_upper;
};

std::vector<Comparison> comparisons(const std::vector<Answer>& answers);

}  // namespace sinkproof::measure
