// A checkpoint certificate (src/checker/certificate/CHECKPOINT_RULES.md) as the page needs it:
// bounds, theorems and witnesses, without the proofs. The certificate was accepted by the checker
// before, so anything unexpected means that it is not the one the outcome is about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exact/error.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::report {

// An exact input of the task; rows are positions, from 1.
struct Witness {
  std::size_t trigger = 0;
  std::size_t row = 0;
  std::vector<std::vector<double>> tokens;  // [length][d_model], the nearest doubles
};

// What floors and ceilings are about: the attention of a head on BOS or on the null slot, or what
// all layers together put on BOS (tc-4).
enum class Paid { kBos, kNull, kRollout };

struct Bound {
  std::string name;  // "sup-loss.pre", "bos-floor.pre (layer 0, head 1)"
  std::string verdict;
  exact::Rational lower;
  exact::Rational upper;
  std::optional<std::size_t> layer{};  // of the head it is about, from 0; otherwise of all
  std::optional<std::size_t> head{};
  bool is_loss = false;   // sup-loss*: on the logarithmic chart
  bool is_floor = false;  // *-floor*: lower is proved, upper attained; otherwise the reverse
  Paid paid = Paid::kBos;
  std::string shared;  // the name of the property whose witness this one uses; else ""
  std::optional<Witness> witness;
};

// What theorem.tc-2 rests on: random sequences that the checker drew again (CHECKPOINT_RULES.md,
// 4.17).
struct Sampling {
  std::int64_t samples = 0;
  std::int64_t exceeding = 0;   // of them have a loss above eta
  exact::Rational alpha;        // 1 - confidence
  exact::Rational delta;        // with that confidence, P[loss > eta] is at most this
  exact::Rational probability;  // and the floor holds with at least this probability
};

struct Theorem {
  std::string name;   // "theorem.tc-1"
  std::string claim;  // "tc-1"
  std::string verdict;
  exact::Rational eta;
  // BOS floors, of a head or of the rollout. Absent when the theorem's hypothesis fails for this
  // model.
  std::optional<exact::Rational> implied;
  std::optional<exact::Rational> certified;
  std::optional<Sampling> sampling{};  // theorem.tc-2 only
  Paid paid = Paid::kBos;
};

// Between which numbers something lies: the sink share or a number of the forward pass at given
// inputs, or the largest box that meets a threshold.
struct Given {
  std::string name;
  std::string words;  // what lies between the two
  exact::Rational lower;
  std::optional<exact::Rational> upper;
};

// What sampled sequences show of random ones.
struct Random {
  std::string name;
  std::string words;      // the event, and what its bound rests on
  exact::Rational delta;  // its probability, at most
};

struct Checkpoint {
  std::string attention;
  bool normalised = true;  // the weights of a row sum to one, a null slot's share included
  std::size_t num_layers = 1;
  bool residual = false;
  exact::Rational scale = 1;                     // of logits
  std::pair<std::size_t, std::size_t> triggers;  // positions it is about; (0, 0): of none
  std::size_t num_heads = 1;
  std::size_t d_model = 0;
  std::size_t length = 0;
  std::string sha256;
  std::string semantics;
  std::vector<std::string> restrictions;  // certificate::restrictions
  std::string box;                        // of the noise; "" where it is about given inputs alone
  std::vector<std::string> overrides;
  std::vector<Bound> bounds;
  std::vector<Given> largest_boxes;  // between which numbers the largest r lies; may have no upper
  std::vector<Theorem> theorems;
  std::vector<Given> given;
  std::vector<Random> random;
};

// SP1202 naming the field when the certificate is not of the form the checker accepts.
exact::Result<Checkpoint> read_checkpoint(const json::Value& certificate, const std::string& where);

}  // namespace sinkproof::report
