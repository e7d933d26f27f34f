#include "certificate/property.hpp"

#include <algorithm>
#include <map>

#include "certificate/checkpoint.hpp"
#include "certificate/numbers.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Rational;

// What may prove a property, and what else than "enclosed" it may be. CHECKPOINT_RULES.md, 4.7
struct Allowed {
  std::set<std::string_view> rules;
  std::vector<std::string> verdicts = {"enclosed"};
};

constexpr std::size_t kMaxLength = 1'000'000;
constexpr std::size_t kMaxSampledLength = 4096;
constexpr std::uint64_t kMaxGiven = 16'777'216;
constexpr std::int64_t kMaxThreshold = 1'000'000'000'000;
const std::string kLargestBox = "largest-box.";
const std::string kNoSuch = "no such property for this kind of attention";

const std::map<std::string, Readout> kReadouts = {{"sup-loss", Readout::kLoss},
                                                  {"bos-floor", Readout::kBosFloor},
                                                  {"bos-ceiling", Readout::kBosCeiling},
                                                  {"null-floor", Readout::kNullFloor},
                                                  {"null-ceiling", Readout::kNullCeiling},
                                                  {"rollout-floor", Readout::kRolloutFloor},
                                                  {"rollout-ceiling", Readout::kRolloutCeiling}};
const std::map<std::string, Rows> kRows = {
    {"pre", Rows::kPre}, {"trigger", Rows::kTrigger}, {"post", Rows::kPost}};

bool is_label(const std::string& label) {
  static const std::string plain = "abcdefghijklmnopqrstuvwxyz0123456789";
  return label.size() <= 60 && label.find_first_of(plain) == 0 &&
         label.find_first_not_of(plain + ".-") == std::string::npos;
}

template <typename Content>
void describe_ends(Fields& io, Content& of, bool may_be_negative) {
  io.number("lower", of.lower);
  io.number("upper", of.upper);
  io.require((may_be_negative || of.lower >= 0) && of.lower <= of.upper,
             may_be_negative ? "needs lower <= upper" : "needs 0 <= lower <= upper");
}

// Of all rows where `bound` names no class of them.
void describe(Fields& io, Witness& of, const Bound& bound, const Box& box,
              const Checkpoint& whole) {
  const std::size_t length = whole.length;
  const std::size_t width = whole.model.d_model;
  io.count("trigger", of.trigger, whole.first_trigger, whole.last_trigger);
  io.count("row", of.row, bound.readout == Readout::kLoss ? 1 : 2, length);
  io.count("coordinate", of.coordinate, 0, width - 1);
  std::int64_t sign = of.sign;
  io.integer("sign", sign, -1, 1);
  of.sign = static_cast<int>(sign);
  io.require(of.sign != 0, "sign must be 1 or -1");
  const Rows rows = of.row < of.trigger    ? Rows::kPre
                    : of.row == of.trigger ? Rows::kTrigger
                                           : Rows::kPost;
  io.require(!bound.rows || rows == bound.rows, "its row is not of the property's class");
  exact::Integer common = 1;
  describe_matrix(io, "tokens", of.tokens, length, width, common, "must have L tokens");
  for (std::size_t position = 1; io.reads() && position <= length; ++position) {
    require(is_task_token(of.tokens, position, of.trigger, box),
            io.path() + " token " + std::to_string(position),
            "is not a token that may stand at this position, or its noise is outside the box");
  }
}

// The class of tc-1, tc-2 and (with linear values) tc-3, and of each layer of tc-4.
void require_one_averaging_head(const Fields& io, const Checkpoint& whole) {
  io.require(whole.over_box && whole.model.num_heads == 1 && !whole.model.residual &&
                 whole.model.kind().averages(),
             "is not about this kind of attention");
}

void require_all_triggers(const Fields& io, const Checkpoint& whole) {
  if (!io.reads()) return;
  require(whole.first_trigger == 3 && whole.last_trigger == whole.length, "triggers",
          "must be [3,L] for this rule");
}

// Sets what the name says of a bound.
void set_kind(const Fields& io, const std::string& name, Bound& of, const Checkpoint& whole) {
  if (!io.reads()) return;
  const std::optional<Bound> named = bound_named(name);
  require(named.has_value(), name, kNoSuch);
  of = *named;
  require(whole.over_box, name, "needs an input box, but the certificate has none");
  require(whole.model.kind().null_slot || !is_null(of.readout), name, kNoSuch);
  if (is_rollout(of.readout)) require_one_averaging_head(io, whole);
  require(of.rows != Rows::kPost || whole.has_post(), name,
          "there are no such rows at this length");
}

Allowed allowed_for(const Bound& of, const Checkpoint& whole) {
  if (!of.rows) return {{ByMaximum::kName}};
  if (is_rollout(of.readout)) return {{ByStack::kName}};
  const AttentionKind& kind = whole.model.kind();
  const bool loss = of.readout == Readout::kLoss;
  Allowed allowed{{ByStack::kName, loss ? ByLayerRow::kName : ByLayerAttention::kName}};
  if (kind.has_moments()) allowed.rules.insert(ByMoments::kName);
  if (is_floor(of.readout) && kind.is_relative()) allowed.rules.insert(BySoftmaxFloor::kName);
  if (loss && whole.model.num_heads == 1) {
    allowed.rules.insert(kind.normalised ? ByRow::kName : BySeparableRow::kName);
  }
  return allowed;
}

Allowed describe(Fields& io, Bound& of, const std::string& name, const Checkpoint& whole) {
  set_kind(io, name, of, whole);
  const bool loss = of.readout == Readout::kLoss;
  const bool is_of_head = io.has("head", of.head.has_value()) || io.has("layer", false);
  if (!loss && !is_rollout(of.readout) && is_of_head) {
    if (io.reads()) of.layer = of.head = 0;
    io.count("layer", *of.layer, 0, whole.model.num_layers - 1);
    io.count("head", *of.head, 0, whole.model.num_heads - 1);
  }
  describe_ends(io, of, whole.model.kind().is_signed() && !loss);
  io.object("witness", [&](Fields& part) {
    if (!of.rows) return part.text("from", of.from);
    if (!of.witness) of.witness.emplace();
    describe(part, *of.witness, of, whole.box, whole);
  });
  return allowed_for(of, whole);
}

Allowed describe(Fields& io, LargestBox& of, const std::string& name, const Checkpoint& whole) {
  constexpr std::size_t kLongest = 100;
  Allowed allowed{{ByMaximum::kName}};
  set_kind(io, name.substr(kLargestBox.size()), of.beyond, whole);
  io.number("lower", of.lower);
  io.number("upper", of.upper);
  io.number("threshold", of.threshold);
  if (io.reads()) {
    const Interval& own = whole.box.intervals.front();
    io.require(
        whole.box.intervals.size() == 1 && own.least == -of.lower && own.greatest == of.lower,
        "needs the box [-lower, lower]");
  }
  if (!of.upper) {
    for (const char* key : {"attained", "witness"}) io.null(key, "has a witness of no box");
    return allowed;
  }
  io.require(*of.upper > of.lower, "needs lower < upper");
  io.require(exact::to_string(*of.upper).size() <= kLongest, "upper has more than 100 characters");
  Bound& beyond = of.beyond;
  io.number("attained", is_floor(beyond.readout) ? beyond.upper : beyond.lower);
  io.object("witness", [&](Fields& part) {
    if (!beyond.witness) beyond.witness.emplace();
    describe(part, *beyond.witness, beyond, {{{-*of.upper, *of.upper}}}, whole);
  });
  return allowed;
}

Allowed describe(Fields& io, Theorem& of, const std::string& name, const Checkpoint& whole) {
  require_one_averaging_head(io, whole);
  io.text("claim", of.claim);
  io.require("theorem." + of.claim == name, "names another claim");
  io.number("eta", of.eta);
  io.number("implied", of.implied);
  io.number("certified", of.certified);
  if (of.claim == "tc-4") require_all_triggers(io, whole);
  io.nullable("parameter", of.parameter, [](Fields& own, const Key& key, std::uint64_t& one) {
    own.count(key, one, 0, kMaxLength);
  });
  return {{ByTheorem::kName}, {"proved", "not-applicable"}};
}

// What all statements about random sequences have; `threshold` is the key of theirs.
void describe(Fields& io, Sampled& of, const Key& threshold, const Checkpoint& whole) {
  constexpr std::uint64_t kMaxSamples = 100'000;
  constexpr std::uint64_t kMaxExceeding = 1000;
  constexpr std::uint64_t kMaxTokens = 2'000'000;
  constexpr std::int64_t kMaxDenominator = 1'000'000'000;
  io.require(whole.over_box && whole.length <= kMaxSampledLength,
             "needs a box, and a length of at most 4096");
  io.count("samples", of.samples, 1, kMaxSamples);
  io.require(of.samples * whole.length <= kMaxTokens,
             "samples times length must be at most 2000000");
  io.count("exceeding", of.exceeding, 0, std::min(of.samples, kMaxExceeding));
  io.number(threshold, of.threshold);
  io.number("alpha", of.alpha);
  io.number("delta", of.delta);
  for (const Rational* share : {&of.alpha, &of.delta}) {
    io.require(0 < *share && *share < 1, "alpha and delta must lie between 0 and 1");
  }
  io.require(denominator(of.delta) <= kMaxDenominator,
             "the denominator of delta must be at most 10^9");
}

Allowed describe(Fields& io, SampledTheorem& of, const std::string& /*name*/,
                 const Checkpoint& whole) {
  require_one_averaging_head(io, whole);
  io.require(4 <= whole.length, "length must be at least 4");
  std::string claim = "tc-2";
  io.text("claim", claim);
  io.require(claim == "tc-2", "names another claim");
  describe(io, of.sampled, "eta", whole);
  io.number("floor", of.floor);
  io.number("implied", of.implied);
  io.number("certified", of.certified);
  const Rational& eta = of.sampled.threshold;
  io.require(0 < eta && 12 * eta <= 1, "needs 0 < eta <= 1/12");
  io.require(0 < of.implied && of.implied < 1, "implied must lie between 0 and 1");
  io.require(denominator(eta) <= kMaxThreshold, "the denominator of eta must be at most 10^12");
  return {{BySampling::kName}, {"statistical"}};
}

Allowed describe(Fields& io, RandomStatement& of, const std::string& name,
                 const Checkpoint& whole) {
  using Kind = RandomStatement::Kind;
  static const std::map<std::string, Kind> kinds = {{"random.loss", Kind::kLoss},
                                                    {"random.sink", Kind::kSink},
                                                    {"random.no-sink", Kind::kNoSink}};
  const auto kind = kinds.find(name);
  io.require(!io.reads() || kind != kinds.end(), "no such property");
  if (io.reads()) of.kind = kind->second;
  describe(io, of.sampled, "threshold", whole);
  const Rational& threshold = of.sampled.threshold;
  io.require(threshold > 0, "threshold must be positive");
  io.require(numerator(threshold) + denominator(threshold) <= kMaxThreshold,
             "threshold e/f must have e + f <= 10^12");
  return {{ByRandom::kName}, {"statistical"}};
}

void require_inputs(const Fields& io, const Checkpoint& whole) {
  io.require(whole.inputs.has_value(), "needs inputs, but the certificate has none");
}

Allowed describe(Fields& io, SinkShare& of, const std::string& /*name*/, const Checkpoint& whole) {
  require_inputs(io, whole);
  io.number("epsilon", of.epsilon);
  io.count("position", of.position, 1, whole.length);
  describe_ends(io, of, false);
  return {{ByForward::kName}};
}

void describe_readout(Fields& io, GivenValue& of, const Checkpoint& whole) {
  using Kind = GivenValue::Kind;
  static const std::map<std::string, Kind> kinds = {{"output", Kind::kOutput},
                                                    {"loss", Kind::kLoss},
                                                    {"attention", Kind::kAttention},
                                                    {"alpha", Kind::kAlpha}};
  const ModelReading& model = whole.model;
  const auto layer_and_head = [&] {
    io.count("layer", of.layer, 0, model.num_layers - 1);
    io.count("head", of.head, 0, model.num_heads - 1);
  };
  io.choice("kind", of.kind, kinds, "no such kind");
  io.nullable("sequence", of.sequence, [](Fields& own, const Key& key, std::size_t& one) {
    own.count(key, one, 0, kMaxGiven);
  });
  if (of.kind == Kind::kAlpha) {
    layer_and_head();
    return io.count("position", of.key, 1, whole.length);
  }
  io.count("row", of.row, 1, whole.length);
  if (of.kind == Kind::kOutput) io.count("coordinate", of.coordinate, 0, model.d_model - 1);
  if (of.kind == Kind::kAttention) {
    layer_and_head();
    io.count("key", of.key, model.kind().null_slot ? 0 : 1, of.row);
  }
  if (of.kind == Kind::kLoss) {
    io.require(whole.length >= 3, "sequences are too short for a trigger");
    io.count("trigger", of.trigger, 3, whole.length);
  }
}

Allowed describe(Fields& io, GivenValue& of, const std::string& name, const Checkpoint& whole) {
  require_inputs(io, whole);
  io.require(is_label(name.substr(std::string("value.").size())), "has no label of the form");
  describe_ends(io, of, true);
  io.object("readout", [&](Fields& part) { describe_readout(part, of, whole); });
  return {{ByForward::kName}};
}

using Content = decltype(Property::content);

// By the property's name.
Content content_of(const std::string& name) {
  if (name == "theorem.tc-1" || name == "theorem.tc-3" || name == "theorem.tc-4") return Theorem();
  if (name == "theorem.tc-2") return SampledTheorem();
  if (name.starts_with(kLargestBox)) return LargestBox();
  if (name.starts_with("random.")) return RandomStatement();
  if (name == "sink-share") return SinkShare();
  if (name.starts_with("value.")) return GivenValue();
  return Bound();
}

}  // namespace

std::optional<Bound> bound_named(const std::string& name) {
  const std::size_t dot = name.find('.');
  const auto readout = kReadouts.find(name.substr(0, dot));
  if (readout == kReadouts.end()) return std::nullopt;
  Bound bound;
  bound.readout = readout->second;
  if (dot == std::string::npos) {
    return bound.readout == Readout::kLoss ? std::optional(bound) : std::nullopt;
  }
  const auto rows = kRows.find(name.substr(dot + 1));
  if (rows == kRows.end()) return std::nullopt;
  bound.rows = rows->second;
  return bound;
}

bool is_task_token(const exact::RationalMatrix& tokens, std::size_t position, std::size_t trigger,
                   const Box& box) {
  const std::size_t content = tokens.columns() - 1;
  const std::size_t flag = position == 1 ? kBosFlag : position == trigger ? kTriggerFlag : content;
  for (std::size_t c = 0; c < tokens.columns(); ++c) {
    const Rational& x = tokens(position - 1, c);
    const bool is_noise = position != 1 && c >= kNoise && c < content;
    if (!is_noise && x != (c == flag ? 1 : 0)) return false;
    if (!is_noise) continue;
    const Interval& range = box.of(c - kNoise);
    if (x < range.least || range.greatest < x) return false;
  }
  return true;
}

void describe(Fields& io, Property& of, const Checkpoint& whole) {
  io.text("name", of.name);
  io.set_path(of.name);
  io.text("verdict", of.verdict);
  if (io.reads()) of.content = content_of(of.name);
  const Allowed allowed =
      std::visit([&](auto& content) { return describe(io, content, of.name, whole); }, of.content);
  const auto& verdicts = allowed.verdicts;
  io.require(std::find(verdicts.begin(), verdicts.end(), of.verdict) != verdicts.end(),
             "verdict must be " + verdicts.front());
  io.object("proof", [&](Fields& proof) { describe(proof, of.proof, allowed.rules, of, whole); });
}

}  // namespace sinkproof::certificate
