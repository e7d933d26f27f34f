#include "certify/certify.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "certify/attained.hpp"
#include "certify/estimate.hpp"
#include "certify/layer_row.hpp"
#include "certify/relu_row.hpp"
#include "certify/relu_trigger_row.hpp"
#include "certify/sampling.hpp"
#include "certify/softmax_row.hpp"
#include "certify/softmax_trigger_row.hpp"
#include "certify/theorem.hpp"
#include "exact/decimal.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using model::Attention;

constexpr unsigned kAttainedDigits = 9;
constexpr double kSampleRoom = 10;  // of sampled losses, in units of Effort::margin

std::string rows_text(RowClass rows, bool from_two) {
  switch (rows) {
    case RowClass::kPre:
      return from_two ? "2 <= i < j" : "1 <= i < j";
    case RowClass::kTrigger:
      return "i = j";
    case RowClass::kPost:
      return "j < i <= L";
  }
  return "";
}

json::Value witness_entry(const Witness& witness) {
  json::Value tokens = json::Value::array();
  for (const auto& token : witness.tokens) {
    json::Value entry = json::Value::array();
    for (const Rational& x : token) entry.push_back(exact::to_string(x));
    tokens.push_back(std::move(entry));
  }
  return {{"coordinate", witness.coordinate},
          {"row", witness.row},
          {"sign", witness.sign},
          {"tokens", tokens},
          {"trigger", witness.trigger}};
}

json::Value optional_text(const std::optional<Rational>& value) {
  return value ? json::Value(exact::to_string(*value)) : json::Value(nullptr);
}

// One property and its entry in the certificate.
struct Decided {
  Property property;
  json::Value entry;
};

class Run {
 public:
  Run(const model::AttentionModel& model, const Options& options)
      : model_(model),
        options_(options),
        effort_(options.effort),
        layer_(make_layer(model)),
        head_(layer_.heads.front()),
        one_head_(layer_.is_one_head()) {
    if (std::any_of(layer_.heads.begin(), layer_.heads.end(), is_beyond_estimates)) {
      effort_.roots_only = true;
    }
  }

  [[nodiscard]] bool needs_ranges() const { return !one_head_; }

  // What every property of a layer rests on. Nothing to do for one head.
  exact::Result<void> prepare() {
    if (one_head_) return {};
    auto found = find_ranges(layer_, effort_);
    if (!found) return tl::unexpected(found.error());
    ranges_ = std::move(*found);
    return {};
  }

  // The first property that could not be bounded at all.
  [[nodiscard]] const std::optional<exact::Error>& failure() const { return failure_; }

  [[nodiscard]] const std::optional<LayerRanges>& ranges() const { return ranges_; }

  const Decided& decide(const std::string& name) {
    const auto found = decided_.find(name);
    if (found != decided_.end()) return found->second;
    return decided_.emplace(name, timed(name)).first->second;
  }

  // Decides those of `names` that stand on their own, options.jobs at a time.
  void decide_apart(const std::vector<std::string>& names) {
    expected_ = names.size();
    std::vector<std::string> apart;
    for (const std::string& name : names) {
      if (name != "sup-loss" && !name.starts_with("theorem.")) apart.push_back(name);
    }
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < apart.size(); i = next++) {
        Decided decided = timed(apart[i]);
        const std::lock_guard lock(mutex_);
        decided_.emplace(apart[i], std::move(decided));
      }
    };
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < options_.jobs; ++i) helpers.emplace_back(work);
    work();
  }

 private:
  Decided timed(const std::string& name) {
    if (options_.progress) {
      const std::lock_guard lock(mutex_);
      options_.progress(name, static_cast<double>(decided_.size()) /
                                  static_cast<double>(std::max<std::size_t>(1, expected_)));
    }
    const auto start = std::chrono::steady_clock::now();
    Decided decided = compute(name);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    decided.property.name = name;
    decided.property.seconds = took.count();
    return decided;
  }

  Decided compute(const std::string& name) {
    if (name == "sup-loss") return overall_loss();
    if (name == "theorem.tc-1") return theorem_tc1();
    if (name == "theorem.tc-2") return theorem_tc2();
    if (name == "theorem.tc-3") return theorem_tc3();
    const RowClass rows = name.ends_with(".pre")       ? RowClass::kPre
                          : name.ends_with(".trigger") ? RowClass::kTrigger
                                                       : RowClass::kPost;
    if (name.starts_with("sup-loss.")) return loss(rows);
    if (!one_head_) {
      const Slot slot = name.starts_with("null-") ? Slot::kNull : Slot::kBos;
      return layer_attention(rows, slot, name.find("-ceiling") != std::string::npos);
    }
    return model_.attention == Attention::kSoftmax ? bos_floor(rows) : bos_ceiling(rows);
  }

  Decided loss(RowClass rows) {
    AttackEffort effort;
    effort.seed = options_.seed;
    const AttackResult attack = attack_loss(layer_, rows, effort, starts(rows));
    const auto attained = attained_loss(layer_, attack.witness);
    // A certificate may leave the lower bound of a loss at 0.
    const Rational least = attained ? exact::max(0, attained->lower()) : Rational(0);
    const Proof proof = prove_loss(rows, exact::to_double_estimate(least));
    const Rational lower = exact::round_down_decimal(least, kAttainedDigits);
    return enclosed(rows_text(rows, false), lower, proof.bound, attack.witness, proof.hints);
  }

  // The bound's own search knows where the relaxed loss is largest; an attack does well to start
  // there.
  QueryStarts starts(RowClass rows) {
    if (rows != RowClass::kTrigger || !one_head_) return nullptr;
    return [this](std::size_t coordinate, int sign) {
      return model_.attention == Attention::kSoftmax
                 ? worst_softmax_triggers(head_, coordinate, sign, effort_)
                 : worst_relu_triggers(head_, coordinate, sign, effort_);
    };
  }

  Proof prove_loss(RowClass rows, double aim) {
    if (!one_head_) return or_fail(bound_layer_loss(layer_, *ranges_, rows));
    if (model_.attention == Attention::kSoftmax) {
      return rows == RowClass::kTrigger ? bound_softmax_trigger_loss(head_, aim, effort_)
                                        : bound_softmax_row_loss(head_, rows, aim, effort_);
    }
    return rows == RowClass::kTrigger ? bound_relu_trigger_loss(head_, aim, effort_)
                                      : bound_relu_row_loss(head_, rows, effort_);
  }

  Decided bos_floor(RowClass rows) {
    AttackEffort effort;
    effort.seed = options_.seed;
    const AttackResult attack = attack_attention(layer_, rows, {}, effort);
    const Rational attained = attained_attention(layer_, attack.witness, Slot::kBos, 0).upper();
    const Proof proof =
        bound_softmax_bos_floor(head_, rows, exact::to_double_estimate(attained), effort_);
    const Rational upper = exact::round_up_decimal(attained, kAttainedDigits);
    return enclosed(rows_text(rows, true), proof.bound, upper, attack.witness, proof.hints);
  }

  Decided bos_ceiling(RowClass rows) {
    const Witness witness = relu_bos_ceiling_witness(head_, rows);
    const Rational attained = attained_attention(layer_, witness, Slot::kBos, 0).lower();
    const Proof proof = relu_bos_ceiling(head_, rows);
    const Rational lower = exact::max(0, exact::round_down_decimal(attained, kAttainedDigits));
    return enclosed(rows_text(rows, true), lower, proof.bound, witness, proof.hints);
  }

  // A floor or a ceiling over all heads: the search tries each of them.
  Decided layer_attention(RowClass rows, Slot slot, bool ceiling) {
    AttackEffort effort;
    effort.seed = options_.seed;
    std::optional<Rational> attained;
    Witness witness;
    for (std::size_t h = 0; h < layer_.heads.size(); ++h) {
      AttackResult attack = attack_attention(layer_, rows, {slot, h, ceiling}, effort);
      const exact::Interval here = attained_attention(layer_, attack.witness, slot, h);
      const Rational value = ceiling ? here.lower() : here.upper();
      if (attained && (ceiling ? value <= *attained : value >= *attained)) continue;
      attained = value;
      witness = std::move(attack.witness);
    }
    if (ceiling) {
      const Proof proof = or_fail(bound_layer_ceiling(layer_, *ranges_, rows, slot));
      const Rational lower = exact::round_down_decimal(*attained, kAttainedDigits);
      return enclosed(rows_text(rows, true), lower, proof.bound, witness, proof.hints);
    }
    const Proof proof = or_fail(bound_layer_floor(layer_, *ranges_, rows, slot));
    const Rational upper = exact::round_up_decimal(*attained, kAttainedDigits);
    return enclosed(rows_text(rows, true), proof.bound, upper, witness, proof.hints);
  }

  // The proof, or an empty one and the failure noted: certify() then returns it.
  Proof or_fail(exact::Result<Proof> proof) {
    if (proof) return *std::move(proof);
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = proof.error();
    return {0, nullptr};
  }

  [[nodiscard]] static Decided enclosed(std::string rows, const Rational& lower,
                                        const Rational& upper, const Witness& witness,
                                        const json::Value& hints) {
    Decided decided;
    decided.property.verdict = "enclosed";
    decided.property.rows = std::move(rows);
    decided.property.lower = lower;
    decided.property.upper = upper;
    decided.property.witness = witness;
    decided.entry = {{"lower", exact::to_string(lower)},
                     {"upper", exact::to_string(upper)},
                     {"witness", witness_entry(witness)},
                     {"proof", hints}};
    return decided;
  }

  Decided overall_loss() {
    std::vector<std::string> parts = {"sup-loss.pre", "sup-loss.trigger"};
    if (model_.length >= 4) parts.emplace_back("sup-loss.post");
    Decided decided;
    Property& property = decided.property;
    property.verdict = "enclosed";
    property.rows = "1 <= i <= L";
    std::string from;
    for (const std::string& part : parts) {
      const Property& other = decide(part).property;
      if (!property.upper || *other.upper > *property.upper) property.upper = other.upper;
      if (!property.lower || *other.lower > *property.lower) {
        property.lower = other.lower;
        property.witness = other.witness;
        from = part;
      }
    }
    decided.entry = {{"lower", exact::to_string(*property.lower)},
                     {"upper", exact::to_string(*property.upper)},
                     {"witness", {{"from", from}}},
                     {"proof", {{"rule", "maximum"}, {"of", parts}}}};
    return decided;
  }

  Decided theorem_tc1() {
    const std::optional<Implied> implied =
        implied_by_tc1(*decide("sup-loss").property.upper, model_.length);
    return theorem("tc-1", "m", implied,
                   "2 m (m + 1) eta <= 1 or 4 (m + 1) eta <= m - 1 with C eta < 1, 2 <= m <= L - 2",
                   {"bos-floor.pre"}, rows_text(RowClass::kPre, false));
  }

  // The threshold: above what is certified for the rows beside the trigger's, so that only that row
  // needs samples.
  Rational sampled_threshold() {
    if (options_.eta) return *options_.eta;
    // Beyond what the theorem needs where there is no telling.
    Rational eta =
        exact_value(likely_threshold(layer_, options_.samples, options_.seed)).value_or(1);
    for (const char* part : {"sup-loss.pre", "sup-loss.post"}) {
      eta = exact::max(eta, *decide(part).property.upper);
    }
    // A small denominator is cheap: the confidence pays for the choice of eta. Two digits of it.
    const Rational least = exact::make_rational(1, 1000000);
    return 1 / exact::round_down_decimal(1 / exact::max(eta, least), 2);
  }

  Decided theorem_tc2() {
    const Rational eta = sampled_threshold();
    const std::string eta_text = "eta = " + exact::decimal_up(eta, kAttainedDigits);
    Decided decided;
    Property& property = decided.property;
    property.rows = rows_text(RowClass::kPre, false);
    property.hypothesis = "0 < eta <= 1/12, and the certified loss beside the trigger row <= eta";
    const auto unknown = [&](const std::string& why) {
      property.verdict = "unknown";
      property.reason = why + " at " + eta_text;
      property.hypothesis += ": " + why + " at " + eta_text;
      return decided;
    };
    if (eta <= 0 || 12 * eta > 1) return unknown("fails");
    for (const char* part : {"sup-loss.pre", "sup-loss.post"}) {
      if (*decide(part).property.upper > eta) return unknown("fails");
    }
    const Sampling sampling{model_.sha256, eta, options_.samples};
    if (effort_.roots_only) return unknown("doubles do not tell which samples exceed");
    const auto exceeding = count_exceeding(layer_, sampling, kSampleRoom * effort_.margin);
    if (!exceeding) return unknown("a sample's logits are beyond the checker's exp");
    property.exceeding = *exceeding;
    const Rational delta = confidence_bound(sampling, property.exceeding, options_.alpha);
    property.exceedance = delta;
    const Rational length(model_.length);
    property.probability = 1 - delta * (length - 1) * (length - 2) / 2;
    constexpr std::uint64_t kMaxExceeding = 1000;
    if (*property.probability <= 0 || property.exceeding > kMaxExceeding) {
      return unknown("too many of the samples exceed, or too few were drawn,");
    }
    property.verdict = "statistical";
    property.hypothesis += ": holds at " + eta_text;
    property.implied = 1 - 3 * eta;
    property.certified = decide("bos-floor.pre").property.lower;
    decided.entry = {{"alpha", exact::to_string(options_.alpha)},
                     {"certified", optional_text(property.certified)},
                     {"claim", "tc-2"},
                     {"delta", exact::to_string(delta)},
                     {"eta", exact::to_string(eta)},
                     {"exceeding", property.exceeding},
                     {"floor", optional_text(property.implied)},
                     {"implied", optional_text(property.probability)},
                     {"proof", {{"rule", "sampling"}, {"floors", {"bos-floor.pre"}}}},
                     {"samples", options_.samples}};
    return decided;
  }

  Decided theorem_tc3() {
    const std::optional<Implied> implied =
        implied_by_tc3(*decide("sup-loss").property.upper, model_.length);
    std::vector<std::string> floors = {"bos-floor.pre"};
    if (model_.length >= 4) floors.emplace_back("bos-floor.post");
    return theorem("tc-3", "J", implied, "4 eta < D_J = (J - 3)/(2(J - 1)), 4 <= J <= L", floors,
                   "1 <= i <= L, i != j");
  }

  Decided theorem(const std::string& claim, const std::string& letter,
                  const std::optional<Implied>& implied, const std::string& condition,
                  const std::vector<std::string>& floors, const std::string& rows) {
    const Rational eta = *decide("sup-loss").property.upper;
    const std::string eta_text = "eta = " + exact::decimal_up(eta, kAttainedDigits);
    Decided decided;
    Property& property = decided.property;
    property.rows = rows;
    json::Value& entry = decided.entry;
    entry = {{"claim", claim},       {"eta", exact::to_string(eta)},
             {"implied", nullptr},   {"certified", nullptr},
             {"parameter", nullptr}, {"proof", {{"rule", "theorem"}, {"floors", floors}}}};
    if (!implied) {
      property.verdict = "not-applicable";
      property.reason = "hypothesis " + condition + " fails at the certified " + eta_text;
      property.hypothesis = condition + ": fails at " + eta_text;
      return decided;
    }
    property.verdict = "proved";
    property.hypothesis = condition + ": holds at " + letter + " = " +
                          std::to_string(implied->parameter) + ", " + eta_text;
    property.implied = implied->floor;
    for (const std::string& floor : floors) {
      const Rational& certified = *decide(floor).property.lower;
      if (!property.certified || certified < *property.certified) property.certified = certified;
    }
    entry["parameter"] = implied->parameter;
    entry["implied"] = optional_text(property.implied);
    entry["certified"] = optional_text(property.certified);
    return decided;
  }

  const model::AttentionModel& model_;
  const Options& options_;
  Effort effort_;
  Layer layer_;
  const Head& head_;  // the first, and the only one where one_head_
  bool one_head_;
  std::optional<LayerRanges> ranges_;  // where not one_head_
  std::optional<exact::Error> failure_;
  std::mutex mutex_;
  std::map<std::string, Decided> decided_;
  std::size_t expected_ = 0;
};

json::Value model_entry(const model::AttentionModel& model) {
  return {{"attention", model::to_string(model.attention)},
          {"d_model", model.d_model},
          {"num_heads", model.num_heads},
          {"num_layers", model.layers.size()},
          {"overrides", model.overrides},
          {"residual", model.residual},
          {"sha256", model.sha256}};
}

// The named properties and the ones their proofs refer to, in the order of property_names.
std::vector<std::string> with_references(const std::vector<std::string>& asked,
                                         const std::vector<std::string>& all) {
  const auto in = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  const bool theorem = std::any_of(asked.begin(), asked.end(),
                                   [](const auto& name) { return name.starts_with("theorem."); });
  const bool overall = theorem || in(asked, "sup-loss");
  std::vector<std::string> result;
  for (const std::string& name : all) {
    const bool needed =
        (overall && name.starts_with("sup-loss")) || (theorem && name.starts_with("bos-floor"));
    if (needed || in(asked, name)) result.push_back(name);
  }
  return result;
}

}  // namespace

std::vector<std::string> property_names(const model::AttentionModel& model) {
  const bool post = model.length >= 4;
  std::vector<std::string> names = {"sup-loss"};
  const auto add = [&](const std::string& family) {
    names.push_back(family + ".pre");
    names.push_back(family + ".trigger");
    if (post) names.push_back(family + ".post");
  };
  add("sup-loss");
  // Only ReLU's answer depends on the constant, and there it is the bias of the output as it
  // stands.
  const bool one_head = !model.layers.empty() && is_one_head(model.attention, model.num_heads,
                                                             model.layers.front().output_bias);
  const bool softmax = model.attention == Attention::kSoftmax;
  if (!one_head || softmax) add("bos-floor");
  if (!one_head || !softmax) add("bos-ceiling");
  if (model.attention == Attention::kSoftmaxNull) {
    add("null-floor");
    add("null-ceiling");
  }
  const bool rows_sum_to_one = softmax || model.attention == Attention::kSigmoidNormalised ||
                               model.attention == Attention::kElu1Normalised;
  if (model.num_heads == 1 && rows_sum_to_one) {
    constexpr std::size_t kMaxSampledLength = 4096;
    names.emplace_back("theorem.tc-1");
    if (post && model.length <= kMaxSampledLength) names.emplace_back("theorem.tc-2");
    names.emplace_back("theorem.tc-3");
  }
  return names;
}

exact::Result<Certification> certify(const model::AttentionModel& model, const Options& options) {
  constexpr std::size_t kMaxWidth = 4096;
  if (model.d_model > kMaxWidth) {
    return exact::fail("SP1408", "d_model " + std::to_string(model.d_model),
                       "the certificate's format ends at d_model 4096");
  }
  constexpr std::size_t kMaxHeads = 64;
  if (model.layers.size() != 1 || model.num_heads > kMaxHeads || model.residual) {
    return exact::fail(
        "SP1401", "model",
        "certify decides one layer, up to 64 heads, no residual connection; this model has " +
            std::to_string(model.layers.size()) + " layer(s), " + std::to_string(model.num_heads) +
            " head(s), residual " + (model.residual ? "true" : "false"));
  }
  auto all = property_names(model);
  if (options.samples == 0) {
    if (std::count(options.properties.begin(), options.properties.end(), "theorem.tc-2") != 0) {
      return exact::fail("SP1406", "property theorem.tc-2", "needs samples: give --samples N");
    }
    std::erase(all, "theorem.tc-2");
  }
  // FORMAT.md section 7, for weights of some 100 bits: longer ones end in SP0905.
  constexpr std::uint64_t kUnits = std::uint64_t{1} << 31U;
  const std::uint64_t most = kUnits / (4 * model.d_model * model.d_model + 1000) / model.length;
  if (options.samples > most) {
    return exact::fail("SP1407", std::to_string(options.samples) + " samples",
                       "a checker's budget lasts for " + std::to_string(most) +
                           " samples of this length and d_model");
  }
  const auto& asked = options.properties.empty() ? all : options.properties;
  for (const std::string& name : asked) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      return exact::fail("SP1402", "property " + name.substr(0, 60),
                         "does not exist or does not apply to a " +
                             model::to_string(model.attention) + " model of this length");
    }
  }
  const auto names = with_references(asked, all);
  Run run(model, options);
  constexpr std::size_t kMaxLayerLength = 4096;
  if (run.needs_ranges() && model.length > kMaxLayerLength) {
    return exact::fail("SP1405", "length " + std::to_string(model.length),
                       "beyond one softmax or ReLU head lengths up to 4096 are decided");
  }
  const auto prepared = run.prepare();
  if (!prepared) return tl::unexpected(prepared.error());
  run.decide_apart(names);
  Certification certification;
  json::Value entries = json::Value::array();
  for (const std::string& name : names) {
    Decided decided = run.decide(name);
    // What is unknown states nothing, so the certificate does not hold it.
    if (decided.property.verdict != "unknown") {
      decided.entry["name"] = name;
      decided.entry["verdict"] = decided.property.verdict;
      entries.push_back(std::move(decided.entry));
    }
    certification.properties.push_back(std::move(decided.property));
  }
  if (run.failure()) return tl::unexpected(*run.failure());
  certification.certificate = {{"format", 1},
                               {"kind", "checkpoint"},
                               {"claim", "checkpoint"},
                               {"claim_sha256", options.claim_hash},
                               {"semantics", "real"},
                               {"length", model.length},
                               {"model", model_entry(model)},
                               {"properties", entries}};
  if (run.ranges()) certification.certificate["ranges"] = run.ranges()->hints;
  return certification;
}

}  // namespace sinkproof::certify
