#include "attention/given.hpp"

#include <map>
#include <utility>

#include "attention/witness.hpp"
#include "certificate/rule.hpp"
#include "forward/drawn.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::check {
namespace {

using certificate::Checkpoint;
using certificate::GivenValue;
using certificate::SinkShare;
using exact::Enclosure;
using exact::Rational;
using exact::RationalMatrix;

std::vector<RationalMatrix> sequences_of_file(const Checkpoint& stated, const std::string& bytes) {
  const auto contents = value_of(safetensors::parse(bytes, "inputs"));
  const auto found = contents.tensors.find(stated.inputs->tensor);
  require(found != contents.tensors.end(), "inputs", "the file has no tensor of that name");
  const std::size_t n = stated.model.d_model;
  const auto& shape = found->second.shape;
  constexpr std::uint64_t kMaxGiven = 16'777'216;
  const std::uint64_t passes = stated.model.num_heads * stated.model.num_layers;
  require(shape.size() == 2 && shape[1] == n && shape[0] > 0 && shape[0] % stated.length == 0 &&
              shape[0] <= kMaxGiven / passes,
          "inputs", "the tensor is not of shape [N L, n], or is too large");
  const RationalMatrix all(shape[0], n,
                           value_of(safetensors::exact_values(found->second, "inputs")));
  std::vector<RationalMatrix> sequences;
  for (std::size_t first = 0; first < all.rows(); first += stated.length) {
    sequences.push_back(exact::rows(all, first, stated.length));
  }
  return sequences;
}

// One pass over one sequence: the numbers that are asked of it.
class Readings {
 public:
  Readings(const forward::Prepared& model, const RationalMatrix& tokens, const Checkpoint& stated,
           const SinkShare* share, unsigned p)
      : tokens_(tokens), stated_(stated), p_(p), position_(share == nullptr ? 0 : share->position) {
    for (const auto& property : stated.properties) {
      const auto* value = std::get_if<GivenValue>(&property.content);
      if (value != nullptr) watched_[{value->layer, value->head}][value] = {};
    }
    out_ = forward::pass(model, tokens, 1, p,
                         [&](std::size_t layer, std::size_t head, std::size_t row,
                             const forward::Weights& weights) { see(layer, head, row, weights); });
  }

  [[nodiscard]] bool failed() const { return !out_; }

  // Of the sink share: (layer, head) pairs with alpha > epsilon for certain, and those open.
  struct Sinks {
    std::size_t above = 0;
    std::size_t open = 0;
  };
  [[nodiscard]] Sinks sinks(const Rational& epsilon) const {
    Sinks result;
    for (const auto& [head, sum] : alphas_) {
      const Enclosure alpha = mean(sum);
      if (alpha.lower > epsilon) {
        ++result.above;
      } else if (alpha.upper > epsilon) {
        ++result.open;
      }
    }
    return result;
  }

  // The enclosure of a value this sequence has.
  [[nodiscard]] Enclosure value(const GivenValue& value) const {
    if (value.kind == GivenValue::Kind::kOutput) {
      return forward::entry(*out_, value.row, value.coordinate, p_);
    }
    if (value.kind == GivenValue::Kind::kLoss) {
      return check::loss(*out_, tokens_, value.trigger, value.row, stated_.model.residual, p_);
    }
    return mean(watched_.at({value.layer, value.head}).at(&value));
  }

 private:
  // A sum of weights and the number of them: of alpha, rows k to L; of one weight, itself.
  struct Sum {
    forward::Range total{0, 0};
    std::size_t count = 0;

    void add(const forward::Range& weight) {
      total.lower += weight.lower;
      total.upper += weight.upper;
      ++count;
    }
  };

  void see(std::size_t layer, std::size_t head, std::size_t row, const forward::Weights& weights) {
    if (position_ != 0 && row >= position_) {
      alphas_[{layer, head}].add(weights.keys[position_ - 1]);
    }
    const auto watched = watched_.find({layer, head});
    if (watched == watched_.end()) return;
    for (auto& [value, sum] : watched->second) {
      if (value->kind == GivenValue::Kind::kAlpha && row >= value->key) {
        sum.add(weights.keys[value->key - 1]);
      }
      if (value->kind == GivenValue::Kind::kAttention && row == value->row) {
        sum.add(value->key == 0 ? weights.null : weights.keys[value->key - 1]);
      }
    }
  }

  [[nodiscard]] Enclosure mean(const Sum& sum) const {
    const Enclosure total = forward::enclosure(sum.total, p_);
    return {total.lower / Rational(sum.count), total.upper / Rational(sum.count)};
  }

  const RationalMatrix& tokens_;
  const Checkpoint& stated_;
  unsigned p_;
  std::size_t position_;  // of the sink share; 0: none is asked
  template <typename T>
  using ByHead = std::map<std::pair<std::size_t, std::size_t>, T>;  // by layer and head
  ByHead<Sum> alphas_;
  ByHead<std::map<const GivenValue*, Sum>> watched_;
  std::optional<forward::Balls> out_;
};

// The values stated of this sequence lie within their bounds; otherwise the name of one that does
// not.
std::string outside(const Readings& readings, const Checkpoint& stated, std::size_t sequence) {
  for (const auto& property : stated.properties) {
    const auto* value = std::get_if<GivenValue>(&property.content);
    if (value == nullptr || value->sequence.value_or(sequence) != sequence) continue;
    if (readings.failed()) return property.name;
    const Enclosure at = readings.value(*value);
    if (at.lower < value->lower || at.upper > value->upper) return property.name;
  }
  return {};
}

}  // namespace

std::vector<RationalMatrix> given_sequences(const Checkpoint& stated, const FileBySha256& file) {
  const certificate::GivenInputs& inputs = *stated.inputs;
  if (!inputs.sha256.empty()) return sequences_of_file(stated, file(inputs.sha256));
  if (!inputs.sequences.empty()) return inputs.sequences;
  std::vector<RationalMatrix> sequences;
  const forward::GridLaw law{stated.length, stated.model.d_model};
  for (std::size_t i = 0; i < inputs.count; ++i) {
    const std::string key = forward::given_key(stated.model.sha256, stated.length, inputs.seed, i);
    sequences.push_back(forward::drawn_sequence(key, law, false).tokens);
  }
  return sequences;
}

void require_given(const forward::Prepared& model, const Checkpoint& stated,
                   const std::vector<RationalMatrix>& sequences) {
  const SinkShare* share = nullptr;
  for (const auto& property : stated.properties) {
    if (const auto* found = std::get_if<SinkShare>(&property.content)) share = found;
    const auto* value = std::get_if<GivenValue>(&property.content);
    require(value == nullptr || value->sequence.value_or(0) < sequences.size(), property.name,
            "there is no such sequence");
  }
  const std::size_t pairs = stated.model.num_layers * stated.model.num_heads;
  std::size_t above = 0;
  std::size_t open = 0;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    std::string not_within;
    Readings::Sinks sinks;
    for (const unsigned p : forward::kPrecisions) {
      const Readings readings(model, sequences[s], stated, share, p);
      not_within = outside(readings, stated, s);
      if (share != nullptr) {
        sinks = readings.failed() ? Readings::Sinks{0, pairs} : readings.sinks(share->epsilon);
      }
      if (!readings.failed() && not_within.empty() && sinks.open == 0) break;
    }
    require(not_within.empty(), not_within,
            "is not shown to lie within its bounds at sequence " + std::to_string(s));
    above += sinks.above;
    open += sinks.open;
  }
  if (share == nullptr) return;
  const Rational total(sequences.size() * pairs);
  require(share->lower * total <= above && above + open <= share->upper * total, "sink-share",
          "is not shown to lie within its bounds");
}

}  // namespace sinkproof::check
