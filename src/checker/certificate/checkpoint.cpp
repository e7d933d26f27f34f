#include "certificate/checkpoint.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Rational;
using json::Value;
using Keys = std::vector<std::string>;

constexpr std::size_t kMaxLength = 1'000'000;
constexpr std::size_t kMaxLayerLength = 4096;
constexpr std::size_t kMaxGivenLength = 1024;
constexpr std::size_t kMaxWidth = 4096;
constexpr std::size_t kMaxHeads = 64;
constexpr std::size_t kMaxWide = 65536;
constexpr std::size_t kMaxLayers = 64;
constexpr std::uint64_t kMaxGiven = 16'777'216;
constexpr std::size_t kMaxDegree = 6;
constexpr std::int64_t kMaxThreshold = 1'000'000'000'000;
const std::string kLargestBox = "largest-box.";

ModelReading read_model(const Value& certificate) {
  const Value& object = certificate["model"];
  keys(object,
       {"attention", "d_model", "head_width", "num_heads", "num_layers", "overrides", "residual",
        "scale", "sha256"},
       "model");
  ModelReading model;
  model.sha256 = hash(object, "model");
  const AttentionKind* kind = find_attention(text(object, "attention", "model"));
  require(kind != nullptr, "model.attention", "no attention of that name");
  model.attention = kind->attention;
  model.d_model = count(object, "d_model", 1, kMaxWidth, "model");
  model.num_heads = count(object, "num_heads", 1, kMaxHeads, "model");
  model.head_width = count(object, "head_width", 1, kMaxWidth, "model");
  require(model.num_heads * model.head_width <= kMaxWide, "model.head_width",
          "times num_heads must be at most 65536");
  model.num_layers = count(object, "num_layers", 1, kMaxLayers, "model");
  require(object["residual"].is_boolean(), "model.residual", "must be true or false");
  model.residual = object["residual"].get<bool>();
  constexpr std::size_t kMaxScale = 100;
  model.scale = short_number(object, "scale", kMaxScale, "model");
  require(model.scale > 0, "model.scale", "must be positive");
  model.overrides = texts(object, "overrides", "model");
  return model;
}

std::vector<std::size_t> read_order(const Value& object, std::size_t noise,
                                    const std::string& where) {
  const Value& entries = list(object, "order", where);
  const std::string what = "must be a permutation of 0..d-1";
  require(entries.size() == noise, where + ".order", what);
  std::vector<std::size_t> order;
  for (const Value& entry : entries) {
    require(entry.is_number_unsigned() && entry < noise, where + ".order", what);
    order.push_back(entry.get<std::size_t>());
  }
  const std::set<std::size_t> different(order.begin(), order.end());
  require(different.size() == noise, where + ".order", what);
  return order;
}

// What `proof` holds beside `rule`.
const std::map<std::string, Keys>& proof_keys() {
  static const Keys trees = {"order", "parameters", "rule", "trees"};
  static const std::map<std::string, Keys> table = {{"maximum", {"of", "rule"}},
                                                    {"theorem", {"floors", "rule"}},
                                                    {"sampling", {"floors", "rule"}},
                                                    {"forward", {"rule"}},
                                                    {"random", {"rule"}},
                                                    {"stack", {"degree", "row_degree", "rule"}},
                                                    {"layer-attention", {"rule"}},
                                                    {"layer-row", {"rule"}},
                                                    {"row", trees},
                                                    {"softmax-floor", trees},
                                                    {"separable-row", trees}};
  return table;
}

// `expected`, and `key` if the object has it.
Keys with_optional(const Value& object, const std::string& key, Keys expected) {
  if (object.is_object() && object.contains(key)) expected.push_back(key);
  return expected;
}

// What kinds of rows and readouts a property's name may end in.
const std::map<std::string, Readout> kReadouts = {{"sup-loss", Readout::kLoss},
                                                  {"bos-floor", Readout::kBosFloor},
                                                  {"bos-ceiling", Readout::kBosCeiling},
                                                  {"null-floor", Readout::kNullFloor},
                                                  {"null-ceiling", Readout::kNullCeiling},
                                                  {"rollout-floor", Readout::kRolloutFloor},
                                                  {"rollout-ceiling", Readout::kRolloutCeiling}};

bool is_label(const std::string& label) {
  static const std::string plain = "abcdefghijklmnopqrstuvwxyz0123456789";
  return label.size() <= 60 && label.find_first_of(plain) == 0 &&
         label.find_first_not_of(plain + ".-") == std::string::npos;
}

class Reader {
 public:
  explicit Reader(const Value& certificate) : certificate_(certificate) {}

  Checkpoint read() {
    keys(certificate_,
         with_optional(certificate_, "multipliers",
                       {"box", "claim", "claim_sha256", "format", "inputs", "kind", "length",
                        "model", "properties", "ranges", "semantics", "triggers"}),
         "certificate");
    require(text(certificate_, "claim", "certificate") == "checkpoint", "claim",
            "must be checkpoint");
    require(text(certificate_, "semantics", "certificate") == "real", "semantics", "must be real");
    result_.claim_sha256 = text(certificate_, "claim_sha256", "certificate");
    result_.over_box = !certificate_["box"].is_null();
    result_.length = count(certificate_, "length", over_box() ? 3 : 1, kMaxLength, "certificate");
    result_.model = read_model(certificate_);
    read_scope();
    if (!certificate_["inputs"].is_null()) result_.inputs = read_inputs(certificate_["inputs"]);
    if (!certificate_["ranges"].is_null()) result_.ranges = read_ranges(certificate_["ranges"]);
    read_properties();
    if (certificate_.contains("multipliers")) read_multipliers();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool over_box() const { return result_.over_box; }
  [[nodiscard]] std::size_t length() const { return result_.length; }
  [[nodiscard]] std::size_t width() const { return result_.model.d_model; }
  [[nodiscard]] const AttentionKind& kind() const { return result_.model.kind(); }

  void read_scope() {
    if (!over_box()) {
      require(certificate_["triggers"].is_null(), "triggers", "must be null where box is");
      return;
    }
    require(width() >= 4, "model.d_model", "must be at least 4");
    result_.box = read_box(certificate_["box"], result_.noise());
    const Value& triggers = certificate_["triggers"];
    const auto whole = [&](std::size_t k) {
      return triggers[k].is_number_unsigned() ? triggers[k].get<std::uint64_t>() : 0;
    };
    require(triggers.is_array() && triggers.size() == 2 && 3 <= whole(0) && whole(0) <= whole(1) &&
                whole(1) <= length(),
            "triggers", "must be [a,b] with 3 <= a <= b <= L");
    result_.first_trigger = whole(0);
    result_.last_trigger = whole(1);
  }

  // Only rule stack knows of several layers, residual connections and some trigger positions.
  void require_one_layer() const {
    require(result_.model.num_layers == 1, "model.num_layers", "must be 1 for this rule");
    require(!result_.model.residual, "model.residual", "must be false for this rule");
    require_all_triggers();
  }

  void require_all_triggers() const {
    require(result_.first_trigger == 3 && result_.last_trigger == length(), "triggers",
            "must be [3,L] for this rule");
  }

  GivenInputs read_inputs(const Value& object) const {
    const std::string where = "inputs";
    const ModelReading& model = result_.model;
    require(length() <= kMaxGivenLength, "length", "must be at most 1024 for given inputs");
    GivenInputs inputs;
    const std::uint64_t passes = std::uint64_t{length()} * model.num_heads * model.num_layers;
    if (object.is_object() && object.contains("count")) {
      keys(object, {"count", "seed"}, where);
      require(width() >= 4 && length() >= 3, where, "drawn sequences need n >= 4 and L >= 3");
      inputs.count = count(object, "count", 1, kMaxGiven / passes, where);
      inputs.seed = count(object, "seed", 0, INT64_MAX, where);
    } else if (object.is_object() && object.contains("sequences")) {
      keys(object, {"sequences"}, where);
      const Value& sequences = list(object, "sequences", where);
      require(!sequences.empty() && sequences.size() <= kMaxGiven / passes, where,
              "no sequences, or too many");
      exact::Integer common = 1;
      for (const Value& one : sequences) {
        inputs.sequences.push_back(read_tokens(one, length(), width(), common, where));
      }
    } else {
      keys(object, {"sha256", "tensor"}, where);
      inputs.sha256 = hash(object, where);
      inputs.tensor = text(object, "tensor", where);
    }
    return inputs;
  }

  static Interval read_interval(const Value& object, bool may_be_negative,
                                const std::string& where) {
    Interval interval{number(object, "least", where), number(object, "greatest", where)};
    require(interval.least <= interval.greatest, where, "least is above greatest");
    require(may_be_negative || interval.least >= 0, where, "least is negative");
    return interval;
  }

  [[nodiscard]] KernelClass read_class(const Value& classes, const std::string& name) const {
    const Value& object = classes[name];
    keys(object, {"greatest", "high", "least", "low"}, name);
    return {number(object, "low", name), number(object, "high", name),
            read_interval(object, kind().is_signed(), name)};
  }

  [[nodiscard]] QueryRanges read_query(const Value& head, const std::string& flag) const {
    const Value& classes = head["classes"];
    QueryRanges query;
    query.bos = read_class(classes, flag + "_bos");
    query.content = read_class(classes, flag + "_content");
    query.trigger = read_class(classes, flag + "_trigger");
    if (kind().null_slot) query.null = read_class(classes, flag + "_null");
    if (kind().is_relative()) {
      const std::string reference = text(head["references"], flag, "references");
      require(reference == "bos" || reference == "content", "references", "must be bos or content");
      query.bos_reference = reference == "bos";
    }
    if (kind().gated) query.gate = read_gate(head, flag);
    return query;
  }

  [[nodiscard]] static Interval read_gate(const Value& head, const std::string& flag) {
    keys(head["gates"][flag], {"greatest", "least"}, "gate " + flag);
    return read_interval(head["gates"][flag], false, "gate " + flag);
  }

  [[nodiscard]] HeadRanges read_head(const Value& object) const {
    keys(object, {"bos", "classes", "gates", "references"}, "ranges.heads");
    Keys classes;
    for (const std::string flag : {"content", "trigger"}) {
      for (const char* key : {"_bos", "_content", "_trigger"}) classes.push_back(flag + key);
      if (kind().null_slot) classes.push_back(flag + "_null");
    }
    keys(object["classes"], classes, "classes");
    if (kind().is_relative()) {
      keys(object["references"], {"content", "trigger"}, "references");
    } else {
      require(object["references"].is_null(), "references", "must be null for this attention");
    }
    if (kind().gated) {
      keys(object["gates"], {"bos", "content", "trigger"}, "gates");
    } else {
      require(object["gates"].is_null(), "gates", "must be null: this attention has none");
    }
    keys(object["bos"], {"greatest", "least"}, "bos");
    HeadRanges head{read_query(object, "content"), read_query(object, "trigger"),
                    read_interval(object["bos"], kind().is_signed(), "bos")};
    if (kind().gated) head.first_gate = read_gate(object, "bos");
    return head;
  }

  void read_multipliers() {
    const std::string where = "multipliers";
    const Value& heads = list(certificate_, where, "certificate");
    const bool has_forms =
        std::any_of(result_.properties.begin(), result_.properties.end(),
                    [](const Property& property) { return !property.proof.order.empty(); });
    require(has_forms || result_.ranges, where, "no rule asks for them");
    require(heads.size() == result_.model.num_heads, where, "must be one for each head");
    const auto numbers = [&](const Value& head, const std::string& key) {
      std::vector<Rational> result;
      for (const std::string& digits : texts(head, key, where)) {
        result.push_back(rational(digits, where));
        require(is_multiplier(result.back()), where,
                "must be positive, below 10^100 and whole times 10^100");
      }
      require(result.size() == result_.noise(), where + "." + key, "must have d entries");
      return result;
    };
    for (const Value& head : heads) {
      keys(head, {"keys", "own", "queries"}, where);
      result_.multipliers.push_back(
          {numbers(head, "keys"), numbers(head, "queries"), numbers(head, "own")});
    }
  }

  [[nodiscard]] std::vector<Point> read_points(const Value& object) const {
    std::vector<Point> points;
    if (!object.contains("points")) return points;
    constexpr std::size_t kMaxStrings = 8;
    constexpr int kZero = 64;
    constexpr int kOne = 16;
    for (const Value& entry : list(object, "points", "proof")) {
      require(entry.is_array() && entry.size() <= kMaxStrings, "points",
              "must be lists of at most 8 strings");
      Point& point = points.emplace_back();
      for (const Value& one : entry) {
        require(one.is_string(), "points", "must hold strings");
        std::vector<int>& numbers = point.emplace_back();
        for (const char code : one.get_ref<const std::string&>()) {
          numbers.push_back(code - kZero);
          require(-kOne <= numbers.back() && numbers.back() <= kOne, "points",
                  "a character stands for no number");
        }
        require(numbers.size() == result_.noise(), "points", "a string must have d characters");
      }
    }
    return points;
  }

  [[nodiscard]] Ranges read_ranges(const Value& object) const {
    require(over_box(), "ranges", "must be null where box is");
    keys(object, with_optional(object, "points", {"heads", "order", "trees"}), "ranges");
    Ranges ranges;
    ranges.proof.rule = "ranges";
    ranges.proof.order = read_order(object, result_.noise(), "ranges");
    ranges.proof.trees = texts(object, "trees", "ranges");
    ranges.proof.points = read_points(object);
    const Value& heads = list(object, "heads", "ranges");
    require(heads.size() == result_.model.num_heads, "ranges.heads", "must be one for each head");
    for (const Value& head : heads) ranges.heads.push_back(read_head(head));
    return ranges;
  }

  [[nodiscard]] Proof read_proof(const Value& entry, const std::string& name) const {
    const Value& object = entry["proof"];
    Proof proof;
    proof.rule = text(object, "rule", name + ": proof");
    Keys expected = at(proof_keys(), proof.rule, "proof.rule", "no such rule");
    const bool by_trees = object.contains("trees");
    if (by_trees) expected = with_optional(object, "points", std::move(expected));
    if (proof.rule == "stack") expected = with_optional(object, "refined", std::move(expected));
    keys(object, expected, name + ": proof");
    for (const std::string key : {"of", "floors"}) {
      if (object.contains(key)) proof.premises = texts(object, key, name);
    }
    require(proof.rule != "layer-row" || length() <= kMaxLayerLength, "length",
            "must be at most 4096 for the rule layer-row");
    if (proof.rule == "stack") {
      proof.degree = count(object, "degree", 1, kMaxDegree, name);
      proof.row_degree = count(object, "row_degree", 1, kMaxDegree, name);
      proof.refined = object.contains("refined");
      require(!proof.refined || object["refined"] == true, name + ".refined", "must be true");
    }
    if (!by_trees) return proof;
    require(over_box(), name, "speaks of a box the certificate has not");
    proof.order = read_order(object, result_.noise(), "proof");
    proof.parameters = object["parameters"];
    require(proof.parameters.is_object(), "proof.parameters", "must be an object");
    proof.trees = texts(object, "trees", "proof");
    proof.points = read_points(object);
    return proof;
  }

  // Of all rows where `bound` names no class of them.
  Witness read_witness(const Value& object, const Bound& bound, const Box& box) const {
    const std::string where = "witness";
    keys(object, {"coordinate", "row", "sign", "tokens", "trigger"}, where);
    Witness witness;
    witness.trigger = count(object, "trigger", result_.first_trigger, result_.last_trigger, where);
    witness.row = count(object, "row", bound.readout == Readout::kLoss ? 1 : 2, length(), where);
    witness.coordinate = count(object, "coordinate", 0, width() - 1, where);
    witness.sign = static_cast<int>(integer(object, "sign", -1, 1, where));
    require(witness.sign != 0, where, "sign must be 1 or -1");
    const Rows rows = witness.row < witness.trigger    ? Rows::kPre
                      : witness.row == witness.trigger ? Rows::kTrigger
                                                       : Rows::kPost;
    require(!bound.rows || rows == bound.rows, where, "its row is not of the property's class");
    exact::Integer common = 1;
    witness.tokens = read_tokens(list(object, "tokens", where), length(), width(), common, where);
    for (std::size_t position = 1; position <= length(); ++position) {
      require(is_task_token(witness.tokens, position, witness.trigger, box),
              "witness token " + std::to_string(position),
              "is no token of this position, or its noise is outside the box");
    }
    return witness;
  }

  // What the name says of a bound.
  [[nodiscard]] Bound read_kind(const std::string& name) const {
    const std::size_t dot = name.find('.');
    const std::string none = "no such property for this kind of attention";
    Bound bound;
    bound.readout = at(kReadouts, name.substr(0, dot), name, none);
    require(over_box(), name, "speaks of a box the certificate has not");
    require(kind().null_slot || !is_null(bound.readout), name, none);
    if (is_rollout(bound.readout)) require_one_averaging_head(name);
    if (dot != std::string::npos) bound.rows = read_rows(name.substr(dot + 1), name);
    require(bound.rows || bound.readout == Readout::kLoss, name, none);
    return bound;
  }

  Bound read_bound(const Value& entry, const std::string& name) const {
    Bound bound = read_kind(name);
    const bool loss = bound.readout == Readout::kLoss;
    const bool rollout = is_rollout(bound.readout);
    Keys expected = {"lower", "name", "proof", "upper", "verdict", "witness"};
    if (!loss && !rollout && entry.is_object() &&
        (entry.contains("head") || entry.contains("layer"))) {
      expected.insert(expected.end(), {"head", "layer"});
    }
    keys(entry, expected, name);
    if (entry.contains("head")) {
      bound.layer = count(entry, "layer", 0, result_.model.num_layers - 1, name);
      bound.head = count(entry, "head", 0, result_.model.num_heads - 1, name);
    }
    read_ends(entry, name, kind().is_signed() && !loss, bound);
    if (bound.rows) {
      bound.witness = read_witness(entry["witness"], bound, result_.box);
    } else {
      keys(entry["witness"], {"from"}, name);
      bound.from = text(entry["witness"], "from", name);
    }
    return bound;
  }

  [[nodiscard]] LargestBox read_largest_box(const Value& entry, const std::string& name) const {
    keys(entry, {"attained", "lower", "name", "proof", "threshold", "upper", "verdict", "witness"},
         name);
    LargestBox result{number(entry, "lower", name), optional_number(entry, "upper", name),
                      number(entry, "threshold", name), read_kind(name.substr(kLargestBox.size()))};
    const Interval& own = result_.box.intervals.front();
    require(result_.box.intervals.size() == 1 && own.least == -result.lower &&
                own.greatest == result.lower,
            name, "needs the box [-lower, lower]");
    if (!result.upper) {
      require(entry["attained"].is_null() && entry["witness"].is_null(), name,
              "has a witness of no box");
      return result;
    }
    require(*result.upper > result.lower, name, "needs lower < upper");
    constexpr std::size_t kLongest = 100;
    require(exact::to_string(*result.upper).size() <= kLongest, name,
            "upper has more than 100 characters");
    Bound& beyond = result.beyond;
    (is_floor(beyond.readout) ? beyond.upper : beyond.lower) = number(entry, "attained", name);
    beyond.witness = read_witness(entry["witness"], beyond, {{{-*result.upper, *result.upper}}});
    return result;
  }

  [[nodiscard]] Rows read_rows(const std::string& ending, const std::string& name) const {
    const std::map<std::string, Rows> table = {
        {"pre", Rows::kPre}, {"trigger", Rows::kTrigger}, {"post", Rows::kPost}};
    const Rows rows = at(table, ending, name, "no such class of rows");
    require(rows != Rows::kPost || result_.has_post(), name,
            "there are no such rows at this length");
    return rows;
  }

  template <typename Content>
  static void read_ends(const Value& entry, const std::string& name, bool may_be_negative,
                        Content& content) {
    content.lower = number(entry, "lower", name);
    content.upper = number(entry, "upper", name);
    require((may_be_negative || content.lower >= 0) && content.lower <= content.upper, name,
            may_be_negative ? "needs lower <= upper" : "needs 0 <= lower <= upper");
  }

  // The class of tc-1, tc-2 and (with linear values) tc-3, and of each layer of tc-4.
  void require_one_averaging_head(const std::string& name) const {
    require(
        over_box() && result_.model.num_heads == 1 && !result_.model.residual && kind().averages(),
        name, "is not about this kind of attention");
  }

  static std::optional<Rational> optional_number(const Value& entry, const std::string& key,
                                                 const std::string& name) {
    if (entry[key].is_null()) return std::nullopt;
    return number(entry, key, name);
  }

  [[nodiscard]] Theorem read_theorem(const Value& entry, const std::string& name) const {
    require_one_averaging_head(name);
    keys(entry, {"certified", "claim", "eta", "implied", "name", "parameter", "proof", "verdict"},
         name);
    Theorem theorem;
    theorem.claim = text(entry, "claim", name);
    require("theorem." + theorem.claim == name, name, "names another claim");
    theorem.eta = number(entry, "eta", name);
    theorem.implied = optional_number(entry, "implied", name);
    theorem.certified = optional_number(entry, "certified", name);
    if (theorem.claim == "tc-4") require_all_triggers();
    if (!entry["parameter"].is_null()) {
      theorem.parameter = count(entry, "parameter", 0, kMaxLength, name);
    }
    return theorem;
  }

  // What all statements about random sequences have; `threshold` is the key of theirs.
  [[nodiscard]] Sampled read_sampled(const Value& entry, const std::string& threshold,
                                     const std::string& name) const {
    constexpr std::uint64_t kMaxSamples = 100'000;
    constexpr std::uint64_t kMaxExceeding = 1000;
    constexpr std::uint64_t kMaxTokens = 2'000'000;
    constexpr std::int64_t kMaxDenominator = 1'000'000'000;
    require(over_box() && length() <= kMaxLayerLength, name,
            "needs a box, and a length of at most 4096");
    Sampled sampled;
    sampled.samples = count(entry, "samples", 1, kMaxSamples, name);
    require(sampled.samples * length() <= kMaxTokens, name,
            "samples times length must be at most 2000000");
    sampled.exceeding =
        count(entry, "exceeding", 0, std::min(sampled.samples, kMaxExceeding), name);
    sampled.threshold = number(entry, threshold, name);
    sampled.alpha = number(entry, "alpha", name);
    sampled.delta = number(entry, "delta", name);
    for (const Rational* share : {&sampled.alpha, &sampled.delta}) {
      require(0 < *share && *share < 1, name, "alpha and delta must lie between 0 and 1");
    }
    require(denominator(sampled.delta) <= kMaxDenominator, name,
            "the denominator of delta must be at most 10^9");
    return sampled;
  }

  [[nodiscard]] SampledTheorem read_sampled_theorem(const Value& entry,
                                                    const std::string& name) const {
    require_one_averaging_head(name);
    require(4 <= length(), name, "length must be at least 4");
    keys(entry,
         {"alpha", "certified", "claim", "delta", "eta", "exceeding", "floor", "implied", "name",
          "proof", "samples", "verdict"},
         name);
    require(text(entry, "claim", name) == "tc-2", name, "names another claim");
    SampledTheorem theorem{read_sampled(entry, "eta", name), number(entry, "floor", name),
                           number(entry, "implied", name), number(entry, "certified", name)};
    const Rational& eta = theorem.sampled.threshold;
    require(0 < eta && 12 * eta <= 1, name, "needs 0 < eta <= 1/12");
    require(0 < theorem.implied && theorem.implied < 1, name, "implied must lie between 0 and 1");
    require(denominator(eta) <= kMaxThreshold, name,
            "the denominator of eta must be at most 10^12");
    return theorem;
  }

  [[nodiscard]] RandomStatement read_random(const Value& entry, const std::string& name) const {
    using Kind = RandomStatement::Kind;
    static const std::map<std::string, Kind> kinds = {{"random.loss", Kind::kLoss},
                                                      {"random.sink", Kind::kSink},
                                                      {"random.no-sink", Kind::kNoSink}};
    keys(entry, {"alpha", "delta", "exceeding", "name", "proof", "samples", "threshold", "verdict"},
         name);
    RandomStatement stated{at(kinds, name, name, "no such property"),
                           read_sampled(entry, "threshold", name)};
    const Rational& threshold = stated.sampled.threshold;
    require(threshold > 0, name, "threshold must be positive");
    require(numerator(threshold) + denominator(threshold) <= kMaxThreshold, name,
            "threshold e/f must have e + f <= 10^12");
    return stated;
  }

  void require_inputs(const std::string& name) const {
    require(result_.inputs.has_value(), name, "speaks of inputs the certificate has not");
  }

  [[nodiscard]] SinkShare read_sink_share(const Value& entry, const std::string& name) const {
    require_inputs(name);
    keys(entry, {"epsilon", "lower", "name", "position", "proof", "upper", "verdict"}, name);
    SinkShare share;
    share.epsilon = number(entry, "epsilon", name);
    share.position = count(entry, "position", 1, length(), name);
    read_ends(entry, name, false, share);
    return share;
  }

  [[nodiscard]] GivenValue read_value(const Value& entry, const std::string& name) const {
    using Kind = GivenValue::Kind;
    static const std::map<std::string, std::pair<Kind, Keys>> forms = {
        {"output", {Kind::kOutput, {"coordinate", "row"}}},
        {"loss", {Kind::kLoss, {"row", "trigger"}}},
        {"attention", {Kind::kAttention, {"head", "key", "layer", "row"}}},
        {"alpha", {Kind::kAlpha, {"head", "layer", "position"}}}};
    require_inputs(name);
    require(is_label(name.substr(std::string("value.").size())), name, "has no label of the form");
    keys(entry, {"lower", "name", "proof", "readout", "upper", "verdict"}, name);
    GivenValue value;
    read_ends(entry, name, true, value);
    const Value& readout = entry["readout"];
    const std::string where = name + ": readout";
    auto [of, expected] = at(forms, text(readout, "kind", where), where, "no such kind");
    value.kind = of;
    expected.insert(expected.end(), {"kind", "sequence"});
    keys(readout, expected, where);
    const auto within = [&](const char* key, std::size_t least, std::size_t most, std::size_t& to) {
      if (readout.contains(key)) to = count(readout, key, least, most, where);
    };
    if (!readout["sequence"].is_null()) {
      value.sequence = count(readout, "sequence", 0, kMaxGiven, where);
    }
    within("row", 1, length(), value.row);
    within("coordinate", 0, width() - 1, value.coordinate);
    within("layer", 0, result_.model.num_layers - 1, value.layer);
    within("head", 0, result_.model.num_heads - 1, value.head);
    within("position", 1, length(), value.key);
    within("key", kind().null_slot ? 0 : 1, value.row, value.key);
    if (value.kind == Kind::kLoss) {
      require(length() >= 3, where, "sequences are too short for a trigger");
      within("trigger", 3, length(), value.trigger);
    }
    return value;
  }

  void read_property(const Value& entry) {
    require(entry.is_object(), "properties", "must hold objects");
    Property property;
    property.name = text(entry, "name", "property");
    const std::string& name = property.name;
    property.verdict = text(entry, "verdict", name);
    std::set<std::string> verdicts = {"enclosed"};
    std::set<std::string> rules = {"forward"};
    if (name == "theorem.tc-1" || name == "theorem.tc-3" || name == "theorem.tc-4") {
      property.content = read_theorem(entry, name);
      verdicts = {"proved", "not-applicable"};
      rules = {"theorem"};
    } else if (name == "theorem.tc-2") {
      property.content = read_sampled_theorem(entry, name);
      verdicts = {"statistical"};
      rules = {"sampling"};
    } else if (name.starts_with(kLargestBox)) {
      property.content = read_largest_box(entry, name);
      rules = {"maximum"};
    } else if (name.starts_with("random.")) {
      property.content = read_random(entry, name);
      verdicts = {"statistical"};
      rules = {"random"};
    } else if (name == "sink-share") {
      property.content = read_sink_share(entry, name);
    } else if (name.starts_with("value.")) {
      property.content = read_value(entry, name);
    } else {
      Bound bound = read_bound(entry, name);
      rules = rules_of(bound);
      property.content = std::move(bound);
    }
    require(verdicts.contains(property.verdict), name, "verdict must be " + *verdicts.begin());
    property.proof = read_proof(entry, name);
    require(rules.contains(property.proof.rule), "proof.rule",
            "no such rule for these rows and this attention");
    const Bound none;
    const Bound& bound = property.bound() == nullptr ? none : *property.bound();
    require(stated_.emplace(name, bound.layer, bound.head).second, name, "stated twice");
    result_.properties.push_back(std::move(property));
  }

  // The rules that may prove a bound, by its readout and rows; CHECKPOINT_RULES.md, 4.7.
  [[nodiscard]] std::set<std::string> rules_of(const Bound& bound) const {
    if (!bound.rows) return {"maximum"};
    if (is_rollout(bound.readout)) return {"stack"};
    const bool loss = bound.readout == Readout::kLoss;
    std::set<std::string> rules = {"stack", loss ? "layer-row" : "layer-attention"};
    if (is_floor(bound.readout) && kind().kernel == Kernel::kExp) rules.insert("softmax-floor");
    if (loss && result_.model.num_heads == 1) {
      rules.insert(kind().normalised ? "row" : "separable-row");
    }
    return rules;
  }

  void read_properties() {
    const Value& entries = list(certificate_, "properties", "certificate");
    require(!entries.empty(), "properties", "a certificate with no property shows nothing");
    for (const Value& entry : entries) read_property(entry);
    std::set<std::string> rules;
    for (const Property& property : result_.properties) rules.insert(property.proof.rule);
    require(result_.inputs.has_value() == rules.contains("forward"), "inputs",
            "are for properties of rule forward, and no others");
    const bool by_ranges = rules.contains("layer-row") || rules.contains("layer-attention") ||
                           rules.contains("separable-row") ||
                           (rules.contains("row") && !kind().is_relative());
    require(result_.ranges.has_value() == by_ranges, "ranges",
            "are for rules that speak of them, and no others");
    const bool all_given = rules == std::set<std::string>{"forward"};
    require(over_box() != all_given, "box", "must be null exactly where all inputs are given");
    if (!all_given && !result_.is_stack()) require_one_layer();
  }

  using Place = std::optional<std::size_t>;

  const Value& certificate_;
  Checkpoint result_;
  std::set<std::tuple<std::string, Place, Place>> stated_;  // properties: name, layer, head
};

}  // namespace

bool is_multiplier(const Rational& x) {
  static const exact::Integer most = pow(exact::Integer(10), 100);
  return x > 0 && numerator(x) < most && most % denominator(x) == 0;
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

const Property* Checkpoint::find(const std::string& name) const {
  for (const Property& property : properties) {
    const Bound* bound = property.bound();
    if (property.name == name && (bound == nullptr || !bound->head)) return &property;
  }
  return nullptr;
}

bool Checkpoint::is_stack() const {
  return std::all_of(properties.begin(), properties.end(), [](const Property& property) {
    const std::string& rule = property.proof.rule;
    return rule == "stack" || rule == "maximum" || rule == "random" ||
           property.name == "theorem.tc-4";
  });
}

exact::Result<Checkpoint> read_checkpoint(const Value& certificate) {
  return result_of([&] {
    require(
        integer(certificate, "format", 1, kCheckpointFormat, "certificate") == kCheckpointFormat,
        "format",
        "a checkpoint certificate of an older format: make it again with `sinkproof certify MODEL`",
        "SP0505");
    return Reader(certificate).read();
  });
}

}  // namespace sinkproof::certificate
