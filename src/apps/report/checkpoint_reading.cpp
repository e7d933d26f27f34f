#include "report/checkpoint_reading.hpp"

#include <utility>

#include "certificate/beside_bounds.hpp"
#include "certificate/checkpoint.hpp"
#include "model/box_text.hpp"
#include "rounded/double.hpp"

namespace sinkproof::report {
namespace {

using certificate::Property;

Witness shown(const certificate::Witness& exact_input) {
  Witness witness{exact_input.trigger, exact_input.row, {}};
  const exact::RationalMatrix& tokens = exact_input.tokens;
  for (std::size_t i = 0; i < tokens.rows(); ++i) {
    std::vector<double>& token = witness.tokens.emplace_back();
    for (std::size_t c = 0; c < tokens.columns(); ++c) {
      token.push_back(rounded::to_double_estimate(tokens(i, c)));
    }
  }
  return witness;
}

Bound shown(const Property& property, const certificate::Bound& stated) {
  Bound bound;
  bound.name = property.name;
  if (stated.head) {
    bound.layer = stated.layer;
    bound.head = stated.head;
    bound.name +=
        " (layer " + std::to_string(*stated.layer) + ", head " + std::to_string(*stated.head) + ")";
  }
  bound.verdict = property.verdict;
  bound.lower = stated.lower;
  bound.upper = stated.upper;
  bound.is_loss = stated.readout == certificate::Readout::kLoss;
  bound.is_floor = is_floor(stated.readout);
  bound.paid = is_rollout(stated.readout) ? Paid::kRollout
               : is_null(stated.readout)  ? Paid::kNull
                                          : Paid::kBos;
  bound.shared = stated.from;
  if (stated.witness) bound.witness = shown(*stated.witness);
  return bound;
}

Theorem shown(const Property& property, const certificate::Theorem& stated) {
  Theorem theorem{property.name, stated.claim,   property.verdict,
                  stated.eta,    stated.implied, stated.certified};
  if (stated.claim == "tc-4") theorem.paid = Paid::kRollout;
  return theorem;
}

// In theorem.tc-2 `implied` is a probability and `floor` what it is the probability of.
Theorem shown(const Property& property, const certificate::SampledTheorem& stated) {
  const certificate::Sampled& sampled = stated.sampled;
  Theorem theorem{property.name,     "tc-2",       property.verdict,
                  sampled.threshold, stated.floor, stated.certified};
  theorem.sampling = Sampling{static_cast<std::int64_t>(sampled.samples),
                              static_cast<std::int64_t>(sampled.exceeding), sampled.alpha,
                              sampled.delta, stated.implied};
  return theorem;
}

struct Collect {
  const Property& property;
  Checkpoint& head;

  void operator()(const certificate::Bound& stated) const {
    head.bounds.push_back(shown(property, stated));
  }
  void operator()(const certificate::LargestBox& stated) const {
    const std::string of = property.name.substr(property.name.find('.') + 1);
    const bool floor = is_floor(stated.beyond.readout);
    head.largest_boxes.push_back({property.name,
                                  "the largest r such that " + of + (floor ? " >= " : " <= ") +
                                      exact::to_string(stated.threshold) + " in the box [-r,r]",
                                  stated.lower, stated.upper});
  }
  void operator()(const certificate::Theorem& stated) const {
    head.theorems.push_back(shown(property, stated));
  }
  void operator()(const certificate::SampledTheorem& stated) const {
    head.theorems.push_back(shown(property, stated));
  }
  void operator()(const certificate::RandomStatement& stated) const {
    head.random.push_back({property.name, words(stated), stated.sampled.delta});
  }
  void operator()(const certificate::SinkShare& stated) const {
    head.given.push_back({property.name,
                          "share of (sequence, layer, head) with alpha of position " +
                              std::to_string(stated.position) + " above " +
                              exact::to_string(stated.epsilon),
                          stated.lower, stated.upper});
  }
  void operator()(const certificate::GivenValue& stated) const {
    head.given.push_back({property.name, words(stated), stated.lower, stated.upper});
  }

 private:
  // "no head pays BOS at least 1 - 1/10 at all rows beside the trigger's; at confidence 99/100; 3
  // of 1000 samples may".
  static std::string words(const certificate::RandomStatement& stated) {
    using Kind = certificate::RandomStatement::Kind;
    const certificate::Sampled& sampled = stated.sampled;
    const std::string t = exact::to_string(sampled.threshold);
    const std::string event =
        stated.kind == Kind::kLoss ? "the loss of some row is above " + t
        : stated.kind == Kind::kSink
            ? "no head puts at least 1 - " + t +
                  " of its attention on BOS in every row i >= 2 except the trigger's"
            : "some head puts more than " + t + " of its attention on BOS in some row i >= 2";
    return event + "; confidence " + exact::to_string(1 - sampled.alpha) + "; " +
           std::to_string(sampled.exceeding) + " of " + std::to_string(sampled.samples) +
           " samples may exceed the threshold";
  }
  static std::string words(const certificate::GivenValue& stated) {
    using Kind = certificate::GivenValue::Kind;
    const std::string where =
        stated.sequence ? "sequence " + std::to_string(*stated.sequence) : "every sequence";
    const std::string head =
        "layer " + std::to_string(stated.layer) + " head " + std::to_string(stated.head);
    const std::string row = "row " + std::to_string(stated.row);
    switch (stated.kind) {
      case Kind::kOutput:
        return "output, " + where + ", " + row + ", coordinate " +
               std::to_string(stated.coordinate);
      case Kind::kLoss:
        return "loss, " + where + ", " + row + ", trigger at " + std::to_string(stated.trigger);
      case Kind::kAttention:
        return "attention, " + where + ", " + head + ", " + row + " on " +
               (stated.key == 0 ? "the null slot" : "key " + std::to_string(stated.key));
      case Kind::kAlpha:
        return "alpha of position " + std::to_string(stated.key) + ", " + where + ", " + head;
    }
    return {};
  }
};

}  // namespace

exact::Result<Checkpoint> read_checkpoint(const json::Value& value, const std::string& where) {
  const auto stated = certificate::read_checkpoint(value);
  if (!stated) {
    const exact::Error& error = stated.error();
    return exact::fail("SP1202", where + ": " + error.where, error.what);
  }
  Checkpoint head;
  head.attention = stated->model.kind().name;
  head.normalised = stated->model.kind().normalised;
  head.num_layers = stated->model.num_layers;
  head.residual = stated->model.residual;
  head.scale = stated->model.scale;
  if (stated->over_box) head.box = model::to_string(stated->box, stated->noise());
  if (stated->over_box) head.triggers = {stated->first_trigger, stated->last_trigger};
  head.restrictions = certificate::restrictions(*stated);
  head.num_heads = stated->model.num_heads;
  head.d_model = stated->model.d_model;
  head.length = stated->length;
  head.sha256 = stated->model.sha256;
  head.semantics = "real";
  head.overrides = stated->model.overrides;
  for (const Property& property : stated->properties) {
    std::visit(Collect{property, head}, property.content);
  }
  return head;
}

}  // namespace sinkproof::report
