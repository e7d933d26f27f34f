// What a checkpoint certificate states, one property at a time. CHECKPOINT_RULES.md, 4.7, 4.17 and
// 4.18. What proves it: proof.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "certificate/box.hpp"
#include "certificate/proof.hpp"
#include "exact/matrix.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certificate {

// The rows a property speaks of, by their place before, at or after the trigger.
enum class Rows { kPre, kTrigger, kPost };

// What is bounded: the loss, or the attention paid to BOS or to the null slot, or that of all
// layers together to BOS (the rollout), from below or above.
enum class Readout {
  kLoss,
  kBosFloor,
  kBosCeiling,
  kNullFloor,
  kNullCeiling,
  kRolloutFloor,
  kRolloutCeiling
};

constexpr bool is_floor(Readout readout) {
  return readout == Readout::kBosFloor || readout == Readout::kNullFloor ||
         readout == Readout::kRolloutFloor;
}
constexpr bool is_rollout(Readout readout) {
  return readout == Readout::kRolloutFloor || readout == Readout::kRolloutCeiling;
}
constexpr bool is_null(Readout readout) {
  return readout == Readout::kNullFloor || readout == Readout::kNullCeiling;
}

// An exact input of the task; positions count from 1.
struct Witness {
  std::size_t trigger = 0;
  std::size_t row = 0;
  std::size_t coordinate = 0;
  int sign = 1;
  exact::RationalMatrix tokens;  // [L, n]
};

// A bound that holds at all inputs, and an exact input on its other side.
struct Bound {
  Readout readout = Readout::kLoss;
  std::optional<Rows> rows;          // none: sup-loss itself, the maximum of its parts
  std::optional<std::size_t> layer;  // with `head`; none: all heads of all layers
  std::optional<std::size_t> head;
  exact::Rational lower;
  exact::Rational upper;
  std::optional<Witness> witness;  // of all but sup-loss
  std::string from;                // sup-loss: the part whose witness it shares
};

// What the name of a bound says, such as "sup-loss.pre": its readout and rows. None for any other.
std::optional<Bound> bound_named(const std::string& name);

// largest-box.NAME: the boxes [-r,r]^d with r <= lower meet the threshold, those with r >= upper do
// not.
struct LargestBox {
  exact::Rational lower;
  std::optional<exact::Rational> upper;  // none: nobody knows a box that does not
  exact::Rational threshold;
  Bound beyond;  // readout and rows of NAME; where there is an upper, what its witness attains
};

// theorem.tc-1, theorem.tc-3, theorem.tc-4: the floor a theorem implies, beside the certified one.
struct Theorem {
  std::string claim;
  exact::Rational eta;
  std::optional<std::uint64_t> parameter;  // these three are absent where it does not apply
  std::optional<exact::Rational> implied;
  std::optional<exact::Rational> certified;
};

// What random sequences show: with confidence 1 - alpha, at most delta of all are beyond the
// threshold, when `exceeding` of the samples may be.
struct Sampled {
  exact::Rational threshold;
  std::uint64_t samples = 0;
  std::uint64_t exceeding = 0;
  exact::Rational alpha;
  exact::Rational delta;
};

// theorem.tc-2: a loss is sampled, a floor implied.
struct SampledTheorem {
  Sampled sampled;            // of loss > eta
  exact::Rational floor;      // of BOS attention
  exact::Rational implied;    // the floor's probability, at least
  exact::Rational certified;  // the floor certified for all inputs
};

// random.*, of a model of any depth.
struct RandomStatement {
  enum class Kind { kLoss, kSink, kNoSink };
  Kind kind = Kind::kLoss;
  Sampled sampled;
};

// sink-share: of all (sequence, layer, head) those whose average attention on a key exceeds
// epsilon.
struct SinkShare {
  exact::Rational epsilon;
  std::size_t position = 1;
  exact::Rational lower;
  exact::Rational upper;
};

// value.LABEL: a number the forward pass gives, at one of the given inputs or at all of them.
struct GivenValue {
  enum class Kind { kOutput, kLoss, kAttention, kAlpha };
  Kind kind = Kind::kOutput;
  std::optional<std::size_t> sequence;  // from 0; none: all
  std::size_t layer = 0;                // from 0
  std::size_t head = 0;                 // from 0
  std::size_t row = 0;                  // from 1
  std::size_t key = 0;                  // from 1; 0: the null slot. Of alpha: `position`
  std::size_t coordinate = 0;           // from 0
  std::size_t trigger = 0;              // from 1
  exact::Rational lower;
  exact::Rational upper;
};

struct Property {
  std::string name;     // "sup-loss.pre"
  std::string verdict;  // "enclosed"; of theorems "proved", "not-applicable", "statistical"
  Proof proof;
  std::variant<Bound, LargestBox, Theorem, SampledTheorem, RandomStatement, SinkShare, GivenValue>
      content;

  [[nodiscard]] const Bound* bound() const { return std::get_if<Bound>(&content); }
};

// Whether the noise coordinates lie in the box and the flags are those of the position:
// 1 is BOS, `trigger` the trigger, all others content. Row `position` - 1 of `tokens`.
bool is_task_token(const exact::RationalMatrix& tokens, std::size_t position, std::size_t trigger,
                   const Box& box);

// Its description (schema.hpp), as part of `whole`, of which what is before it has been read.
void describe(Fields& io, Property& of, const Checkpoint& whole);

}  // namespace sinkproof::certificate
