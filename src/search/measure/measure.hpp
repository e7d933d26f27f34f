// What `sinkproof measure` finds out about one set of given vectors, with the certificate that says
// so (src/checker/certificate/VECTOR_RULES.md): hull distances, switch bounds, smoothing,
// representability.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "json/strict.hpp"
#include "measure/hull_distance.hpp"
#include "measure/margin_system.hpp"
#include "measure/representable.hpp"
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

// What can be asked for. A new property needs a name, a word in applies() and a case in
// Measuring::add (measure.cpp); the command line offers it from there.
enum class Kind { kHullDistance, kHalfSpace, kSwitch, kSmoothing, kRepresentable };
inline constexpr Kind kKinds[] = {Kind::kHullDistance, Kind::kHalfSpace, Kind::kSwitch,
                                  Kind::kSmoothing, Kind::kRepresentable};
// "hull-distance", "half-space", "switch", "smoothing", "representable".
std::string to_string(Kind kind);
// half-space and representable are about rows as queries and keys, so of no head; smoothing of a
// head only.
bool applies(Kind kind, bool has_head);

// The patterns `representable` asks for (ge-1). Without roles the anchor, row 0 if there is none,
// is BOS and all other chosen rows are one group; rows equal to the anchor are BOS too and left
// out.
struct PatternDemand {
  std::vector<certificate::PatternKind> kinds = {certificate::PatternKind::kSinkA};  // not kMargins
  std::optional<Roles> roles;
  std::optional<certificate::Pattern> constraints;  // of kind kMargins, beside the others
  exact::Rational margin = 1;                       // of x^T W y, for the kinds
};

struct Request {
  std::vector<Kind> kinds;            // those that do not apply to the subject are passed over
  std::optional<std::size_t> anchor;  // default: vector 0 for a head, none for rows
  std::optional<std::vector<std::size_t>> vectors;  // strictly increasing; default: all
  exact::Rational beta;                             // residual coefficient, for smoothing
  PatternDemand demand{};                           // for representable
};

struct NamedHull {
  std::string name;  // "hull-distance", "hull-distance without the anchor", "half-space"
  HullDistance hull;
};

// Whether some matrix W scores the rows as the pattern asks.
struct PatternAnswer {
  certificate::Pattern pattern;
  std::size_t constraints = 0;
  std::optional<Representability> found;  // none: too close to call (SP1611)
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
  std::vector<PatternAnswer> patterns;
  json::Value certificate;  // null when no property applies, or none was decided
};

// SP1503: fewer vectors than a property needs. SP1505: the head reads vectors of another width.
// SP1506: a vector's number is out of range, or the list is not strictly increasing. SP1507:
// smoothing of a head whose outputs are not of its inputs' width. SP1606: a pattern asks nothing,
// or too much. SP1614: representable of more than 256 rows.
exact::Result<Measurement> measure(const Subject& subject, const Request& request,
                                   const std::string& claim_hash);

}  // namespace sinkproof::measure
