// Decides the checkpoint properties of docs/DESIGN.md for one model: for every input of the box,
// all trigger positions and rows, a proved bound on one side and an exact input on the other. What
// comes out is a certificate; nothing in it is to be believed before the trusted checker has
// accepted it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "certify/attack.hpp"
#include "certify/proof.hpp"
#include "certify/row_class.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::certify {

class Journal;

// One property's outcome. Which of lower and upper is proved and which attained depends on the
// property: a sup-loss or a ceiling is proved from above, a floor from below.
struct Property {
  std::string name;
  std::optional<std::size_t> layer;  // the head a floor or ceiling is about, from 0; none: all
  std::optional<std::size_t> head;
  std::string verdict;  // "enclosed", "proved" (a theorem whose hypothesis holds),
                        // "not-applicable", "statistical" or "unknown" (what is sampled)
  std::string rows;     // "1 <= i < j" and the like
  std::optional<exact::Rational> lower;
  std::optional<exact::Rational> upper;
  std::optional<Witness> witness;
  std::optional<exact::Rational> implied;    // theorem.*: the floor the theorem implies
  std::optional<exact::Rational> certified;  // theorem.*: the floor certified for this model
  std::string hypothesis;  // theorem.*: in words, with its numbers; random.*: the event
  std::optional<exact::Rational> probability;  // theorem.tc-2: of the implied floor, at least
  std::optional<exact::Rational> threshold;    // random.*
  // theorem.tc-2, random.*: the probability of a sequence beyond the threshold, at most, in
  // confidence; and the samples that are.
  std::optional<exact::Rational> exceedance;
  std::uint64_t exceeding = 0;
  std::uint64_t samples = 0;  // random.*
  std::string reason;         // why not-applicable
  double seconds = 0;

  // Proved from below, attained from above: what losses and ceilings are the other way round.
  [[nodiscard]] bool is_floor() const {
    return !name.starts_with("largest-box.") && name.find("-floor") != std::string::npos;
  }
};

struct Certification {
  TriggerRange triggers;  // the positions it is about
  certificate::Box box;   // and the noise
  std::vector<Property> properties;
  certificate::Checkpoint stated;

  // src/checker/certificate/CHECKPOINT_RULES.md
  [[nodiscard]] json::Value certificate() const;
};

// Of stacks: what is asked, and how long it may take.
struct StackOptions {
  std::optional<TriggerRange> triggers;  // none: 3 .. length
  std::optional<std::size_t> layer;      // of floors and ceilings, from 0; with `head`
  std::optional<std::size_t> head;       // neither: all heads of all layers
  bool every_head = false;               // and each of them apart
  double seconds = 120;                  // of the search, of stacks with the check
};

struct Options {
  std::vector<std::string> properties;  // empty: all that apply
  std::uint64_t seed = 0;
  unsigned jobs = 1;          // threads; the result does not depend on it
  std::uint64_t samples = 0;  // of theorem.tc-2 and random.*; 0: these are not decided
  exact::Rational alpha = exact::make_rational(1, 100);  // 1 - their confidence
  // Thresholds; none: one is searched for.
  std::optional<exact::Rational> eta;      // of theorem.tc-2 and random.loss
  std::optional<exact::Rational> epsilon;  // of random.sink and random.no-sink
  Effort effort;
  StackOptions stack;
  std::string claim_hash;  // of proofs/checkpoint
  // Where results of units of work are kept and found (journal.hpp); null: nowhere.
  Journal* journal = nullptr;
  // Where to begin, of properties and pieces of their search (pieces.hpp): the share of them that
  // is done last, in [0, 1). Processes that share a journal begin at different places.
  double begin = 0;
  // Called before each property, never at the same time from two threads.
  std::function<void(const std::string& doing, double share_done)> progress;
};

// The property names that apply to this kind of attention and length, in order of appearance.
// theorem.tc-2 is among them where it can be sampled.
std::vector<std::string> property_names(const model::AttentionModel& model);

// Whether it is the rule for stacks that decides: several layers, a residual connection, or a
// question only that rule answers.
bool needs_stack(const model::AttentionModel& model, const Options& options);

// SP1401: a model of more than 64 layers or heads. Of stacks: also the errors of certify_stack.
// SP1402: a property name that does not exist or does not apply to this model. SP1403: logits too
// large for the checker's exp. SP1404: kernels that may vanish. SP1405: such a layer at a length
// over 4096. SP1901: a part is missing from a journal that is only read. SP1406: what is sampled
// asked without samples. SP1407: more
// samples than a certificate may state. SP1408: d_model over 4096. SP1413: the seconds do not last
// for any bounds (of a stack), or for witnesses as long as these.
exact::Result<Certification> certify(const model::AttentionModel& model, const Options& options);

}  // namespace sinkproof::certify
