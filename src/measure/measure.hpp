// What `sinkproof measure` finds out about one set of given vectors, with the certificate that says
// so (src/certificate/VECTOR_RULES.md): hull distances, switch bounds, smoothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "json/strict.hpp"
#include "measure/hull_distance.hpp"
#include "measure/smoothing.hpp"
#include "measure/switch_bounds.hpp"
#include "measure/vectors.hpp"

namespace sinkproof::measure {

// The rows of a tensor, or one head's values at them.
struct Subject {
  const NamedFile* input = nullptr;
  Tokens tokens;
  std::size_t length = 0;            // rows per sequence, one sequence after the other
  const NamedFile* model = nullptr;  // holds the head
  std::optional<ValueHead> head;     // together with `model`, or neither
};

// Names a property can be asked for by. A new one is a row of the table in measure.cpp.
enum class Kind { kHullDistance, kHalfSpace, kSwitch, kSmoothing };
inline constexpr Kind kKinds[] = {Kind::kHullDistance, Kind::kHalfSpace, Kind::kSwitch,
                                  Kind::kSmoothing};
// "hull-distance", "half-space", "switch", "smoothing".
std::string to_string(Kind kind);
// half-space speaks of rows as queries, so of no head; smoothing of a head only.
bool applies(Kind kind, bool has_head);

struct Request {
  std::vector<Kind> kinds;            // those that do not apply to the subject are passed over
  std::optional<std::size_t> anchor;  // default: vector 0 for a head, none for rows
  std::optional<std::vector<std::size_t>> vectors;  // strictly increasing; default: all
  exact::Rational beta;                             // residual coefficient, for smoothing
};

struct NamedHull {
  std::string name;  // "hull-distance", "hull-distance without the anchor", "half-space"
  HullDistance hull;
};

// The exact figures and, beside them, what sm-1 expects and what these rows do at the two ends.
struct SmoothingReport {
  Smoothing figures;
  std::optional<exact::Rational> norm_turning_point;
  std::vector<exact::Enclosure> cosine_turning_points;  // of the last two positions
  std::optional<exact::Enclosure> predicted_diagonal;   // attention on the query itself
  std::optional<exact::Enclosure> predicted_uniform;
  CosineSimilarity inputs;
  CosineSimilarity diagonal;
  CosineSimilarity uniform;
};

struct Measurement {
  std::vector<NamedHull> hulls;
  std::optional<std::size_t> anchor;
  bool asked_switch = false;
  std::vector<SwitchBounds> switches;  // empty when asked for: no bound exists
  std::optional<SmoothingReport> smoothing;
  json::Value certificate;  // null when no property applies
};

// SP1503: fewer vectors than a property needs. SP1505: the head reads vectors of another width.
// SP1506: a vector's number is out of range, or the list is not strictly increasing. SP1507:
// smoothing of a head whose outputs are not of its inputs' width.
exact::Result<Measurement> measure(const Subject& subject, const Request& request,
                                   const std::string& claim_hash);

}  // namespace sinkproof::measure
