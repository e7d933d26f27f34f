#include "check/checkpoint.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "certificate/fields.hpp"
#include "check/hints.hpp"
#include "check/layer_rules.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"
#include "check/sampling.hpp"
#include "check/theorem.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

constexpr std::size_t kMaxLayerLength = 4096;

Rows rows_named(const std::string& name) {
  if (name == "pre") return Rows::kPre;
  if (name == "trigger") return Rows::kTrigger;
  require(name == "post", name, "no such class of rows");
  return Rows::kPost;
}

class Checkpoint {
 public:
  Checkpoint(const json::Value& certificate, const Layer& layer)
      : layer_(layer), head_(layer.heads.front()), one_head_(layer.is_one_head()) {
    std::vector<std::string> expected = {"claim",  "claim_sha256", "format",     "kind",
                                         "length", "model",        "properties", "semantics"};
    if (!one_head_) expected.emplace_back("ranges");
    keys(certificate, expected, "certificate");
    require(text(certificate, "claim", "certificate") == "checkpoint", "claim",
            "must be checkpoint");
    require(text(certificate, "semantics", "certificate") == "real", "semantics", "must be real");
    const json::Value& list =
        *value_of(certificate::array_field(certificate, "properties", "certificate"));
    require(!list.empty(), "properties", "a certificate with no property shows nothing");
    for (const json::Value& entry : list) {
      require(entry.is_object(), "properties", "must hold objects");
      const std::string name = text(entry, "name", "property");
      require(properties_.emplace(name, &entry).second, name, "stated twice");
    }
    model_sha256_ = model_sha256(certificate);
    if (one_head_) return;
    require(layer.length() <= kMaxLayerLength, "length", "must be at most 4096 for a layer");
    ranges_ = read_ranges(certificate, layer);
  }

  Verified verify() {
    for (const auto& [name, entry] : properties_) verify_property(name, *entry);
    return verified_;
  }

 private:
  const json::Value& property(const std::string& name, const std::string& for_whom) {
    const auto found = properties_.find(name);
    require(found != properties_.end(), for_whom, "needs the property " + name);
    return *found->second;
  }

  void verify_property(const std::string& name, const json::Value& entry) {
    if (name == "sup-loss") return verify_maximum(entry);
    if (name == "theorem.tc-1" || name == "theorem.tc-3") return verify_theorem(name, entry);
    if (name == "theorem.tc-2") return verify_sampling(name, entry);
    const std::size_t dot = name.find('.');
    const std::string family = name.substr(0, dot);
    require(dot != std::string::npos && is_family(family), name,
            "no such property for this kind of attention");
    const Rows rows = rows_named(name.substr(dot + 1));
    require(rows != Rows::kPost || head_.length >= 4, name,
            "there are no such rows at this length");
    keys(entry, {"lower", "name", "proof", "upper", "verdict", "witness"}, name);
    require(text(entry, "verdict", name) == "enclosed", name, "verdict must be enclosed");
    const Bounds bounds{number(entry, "lower", name), number(entry, "upper", name)};
    const bool may_be_negative = layer_.attention.is_signed && family != "sup-loss";
    require((0 <= bounds.lower || may_be_negative) && bounds.lower <= bounds.upper, name,
            "needs 0 <= lower <= upper");
    const Witness witness = read_witness(entry["witness"], head_, rows, family != "sup-loss");
    const json::Value& proof = entry["proof"];
    if (one_head_) {
      verify_head(name, family, rows, bounds, witness, proof);
    } else if (family == "sup-loss") {
      const Rational attained = layer_loss_down(layer_, witness);
      require(bounds.lower == 0 || attained >= bounds.lower, name, "the witness attains less");
      require_only_rule(proof, "layer-row");
      rule_layer_row(layer_, ranges_, rows, bounds.upper);
    } else {
      require_only_rule(proof, "layer-attention");
      verify_layer_attention(name, family, rows, bounds, witness);
    }
  }

  struct Bounds {
    Rational lower;
    Rational upper;
  };

  [[nodiscard]] bool is_family(const std::string& family) const {
    if (family == "sup-loss") return true;
    if (one_head_) return family == (head_.softmax ? "bos-floor" : "bos-ceiling");
    if (family == "bos-floor" || family == "bos-ceiling") return true;
    return layer_.attention.null_slot && (family == "null-floor" || family == "null-ceiling");
  }

  void verify_head(const std::string& name, const std::string& family, Rows rows,
                   const Bounds& bounds, const Witness& witness, const json::Value& proof) {
    if (family == "sup-loss") {
      require(bounds.lower == 0 || loss_down(head_, witness) >= bounds.lower, name,
              "the witness attains less");
      verify_loss(rows, bounds.upper, proof);
    } else if (family == "bos-floor") {
      require(bos_up(head_, witness) <= bounds.upper, name, "the witness attains more");
      require_rule(proof, "softmax-bos-floor");
      rule_softmax_bos_floor(head_, rows, bounds.lower, proof);
    } else {
      require(bounds.lower == 0 || bos_down(head_, witness) >= bounds.lower, name,
              "the witness attains less");
      require_rule(proof, "relu-bos-ceiling");
      rule_relu_bos_ceiling(head_, rows, bounds.upper, proof);
    }
  }

  void verify_layer_attention(const std::string& name, const std::string& family, Rows rows,
                              const Bounds& bounds, const Witness& witness) {
    const Slot slot = family.starts_with("bos-") ? Slot::kBos : Slot::kNull;
    if (family.ends_with("-floor")) {
      require(layer_attention_up(layer_, witness, slot) <= bounds.upper, name,
              "the witness attains more");
      rule_layer_floor(layer_, ranges_, rows, slot, bounds.lower);
    } else {
      require(layer_attention_down(layer_, witness, slot) >= bounds.lower, name,
              "the witness attains less");
      rule_layer_ceiling(layer_, ranges_, rows, slot, bounds.upper);
    }
  }

  static void require_only_rule(const json::Value& proof, const std::string& rule) {
    keys(proof, {"rule"}, "proof");
    require_rule(proof, rule);
  }

  static void require_rule(const json::Value& proof, const std::string& rule) {
    require(text(proof, "rule", "proof") == rule, "proof.rule", "must be " + rule + " here");
  }

  void verify_loss(Rows rows, const Rational& upper, const json::Value& proof) {
    const std::string rule = text(proof, "rule", "proof");
    const bool trigger = rows == Rows::kTrigger;
    if (head_.softmax && rule == "softmax-range") {
      return rule_softmax_range(head_, rows, upper, proof);
    }
    if (head_.softmax && rule == "softmax-row" && !trigger) {
      return rule_softmax_row(head_, rows, upper, proof);
    }
    if (head_.softmax && rule == "softmax-trigger-row" && trigger) {
      return rule_softmax_trigger_row(head_, upper, proof);
    }
    if (!head_.softmax && rule == "relu-row" && !trigger) {
      return rule_relu_row(head_, rows, upper, proof);
    }
    if (!head_.softmax && rule == "relu-trigger-row" && trigger) {
      return rule_relu_trigger_row(head_, upper, proof);
    }
    if (!head_.softmax && rule == "relu-trigger-range" && trigger) {
      return rule_relu_trigger_range(head_, upper, proof);
    }
    throw Rejected{{"SP0901", "proof.rule", "no such rule for these rows and this attention"}};
  }

  [[nodiscard]] std::vector<std::string> with_post(std::vector<std::string> names,
                                                   const std::string& post) const {
    if (head_.length >= 4) names.push_back(post);
    return names;
  }

  void verify_maximum(const json::Value& entry) {
    const std::string name = "sup-loss";
    keys(entry, {"lower", "name", "proof", "upper", "verdict", "witness"}, name);
    require(text(entry, "verdict", name) == "enclosed", name, "verdict must be enclosed");
    const json::Value& proof = entry["proof"];
    keys(proof, {"of", "rule"}, name);
    require_rule(proof, "maximum");
    const auto parts = with_post({"sup-loss.pre", "sup-loss.trigger"}, "sup-loss.post");
    require(value_of(certificate::strings_field(proof, "of", name)) == parts, name,
            "must be the maximum over all classes of rows");
    Rational lower = 0;
    Rational upper = 0;
    for (const std::string& part : parts) {
      lower = exact::max(lower, number(property(part, name), "lower", part));
      upper = exact::max(upper, number(property(part, name), "upper", part));
    }
    require(number(entry, "lower", name) == lower && number(entry, "upper", name) == upper, name,
            "is not the maximum of its parts");
    keys(entry["witness"], {"from"}, name);
    const std::string from = text(entry["witness"], "from", name);
    bool found = false;
    for (const std::string& part : parts) {
      found = found || (part == from && number(property(part, name), "lower", part) == lower);
    }
    require(found, name, "witness.from names no part that attains the lower bound");
  }

  void verify_theorem(const std::string& name, const json::Value& entry) {
    require_one_positive_head(name);
    keys(entry, {"certified", "claim", "eta", "implied", "name", "parameter", "proof", "verdict"},
         name);
    const std::string claim = name.substr(std::string("theorem.").size());
    require(text(entry, "claim", name) == claim, name, "names another claim");
    const Rational eta = number(entry, "eta", name);
    require(eta == number(property("sup-loss", name), "upper", name), name,
            "eta is not the certified sup loss");
    const auto floors = claim == "tc-1" ? std::vector<std::string>{"bos-floor.pre"}
                                        : with_post({"bos-floor.pre"}, "bos-floor.post");
    keys(entry["proof"], {"floors", "rule"}, name);
    require_rule(entry["proof"], "theorem");
    require(value_of(certificate::strings_field(entry["proof"], "floors", name)) == floors, name,
            "compares with the wrong floors");
    const std::optional<Implied> implied =
        claim == "tc-1" ? implied_by_tc1(eta, head_.length) : implied_by_tc3(eta, head_.length);
    if (!implied) {
      require(text(entry, "verdict", name) == "not-applicable" && entry["implied"].is_null() &&
                  entry["certified"].is_null() && entry["parameter"].is_null(),
              name, "its hypothesis fails for this head");
      return;
    }
    require(text(entry, "verdict", name) == "proved", name,
            "its hypothesis holds: verdict must be proved");
    const auto parameter = static_cast<std::int64_t>(implied->parameter);
    value_of(certificate::integer_field(entry, "parameter", parameter, parameter, name));
    require(number(entry, "implied", name) == implied->floor, name,
            "implied floor is another number");
    compare_floors(name, entry, floors, implied->floor);
    verified_.claims.push_back(claim);
  }

  // The class of tc-1, tc-2 and (with linear values) tc-3.
  void require_one_positive_head(const std::string& name) const {
    const std::string& kind = layer_.attention.name;
    require(layer_.heads.size() == 1 &&
                (kind == "softmax" || kind == "sigmoid-normalised" || kind == "elu1-normalised"),
            name, "is not about this kind of attention");
  }

  void verify_sampling(const std::string& name, const json::Value& entry) {
    constexpr std::int64_t kMaxSamples = 100'000;
    constexpr std::int64_t kMaxExceeding = 1000;
    constexpr std::int64_t kMaxDenominator = 1'000'000'000;
    require_one_positive_head(name);
    require(4 <= head_.length && head_.length <= kMaxLayerLength, name, "length must be 4 to 4096");
    keys(entry,
         {"alpha", "certified", "claim", "delta", "eta", "exceeding", "floor", "implied", "name",
          "proof", "samples", "verdict"},
         name);
    require(text(entry, "claim", name) == "tc-2", name, "names another claim");
    require(text(entry, "verdict", name) == "statistical", name, "verdict must be statistical");
    keys(entry["proof"], {"floors", "rule"}, name);
    require_rule(entry["proof"], "sampling");
    const std::vector<std::string> floors = {"bos-floor.pre"};
    require(value_of(certificate::strings_field(entry["proof"], "floors", name)) == floors, name,
            "compares with the wrong floors");
    const auto samples =
        value_of(certificate::integer_field(entry, "samples", 1, kMaxSamples, name));
    const auto exceeding = value_of(
        certificate::integer_field(entry, "exceeding", 0, std::min(samples, kMaxExceeding), name));
    constexpr std::uint64_t kMaxTokens = 2'000'000;
    require(static_cast<std::uint64_t>(samples) * head_.length <= kMaxTokens, name,
            "samples times length must be at most 2000000");
    const Sampling sampling{model_sha256_, number(entry, "eta", name),
                            static_cast<std::uint64_t>(samples),
                            static_cast<std::uint64_t>(exceeding)};
    const Rational alpha = number(entry, "alpha", name);
    const Rational delta = number(entry, "delta", name);
    require(0 < sampling.eta && 12 * sampling.eta <= 1, name, "needs 0 < eta <= 1/12");
    require(0 < alpha && alpha < 1 && 0 < delta && delta < 1, name,
            "alpha and delta must lie between 0 and 1");
    constexpr std::int64_t kMaxEtaDenominator = 1'000'000'000'000;
    require(boost::multiprecision::denominator(sampling.eta) <= kMaxEtaDenominator, name,
            "the denominator of eta must be at most 10^12");
    require(boost::multiprecision::denominator(delta) <= kMaxDenominator, name,
            "the denominator of delta must be at most 10^9");
    const Rational length(head_.length);
    const Rational implied = 1 - delta * (length - 1) * (length - 2) / 2;
    require(implied > 0 && number(entry, "implied", name) == implied, name,
            "implied must be 1 - delta (L-1)(L-2)/2, and positive");
    require(number(entry, "floor", name) == 1 - 3 * sampling.eta, name, "floor must be 1 - 3 eta");
    require(
        number(entry, "certified", name) == number(property("bos-floor.pre", name), "lower", name),
        name, "certified floor is another number");
    for (const std::string part : {"sup-loss.pre", "sup-loss.post"}) {
      require(number(property(part, name), "upper", part) <= sampling.eta, name,
              "rows beside the trigger's may exceed eta");
    }
    require_confidence(sampling, delta, alpha);
    require_samples_within(layer_, sampling);
    verified_.claims.emplace_back("tc-2");
    verified_.statistical = true;
  }

  void compare_floors(const std::string& name, const json::Value& entry,
                      const std::vector<std::string>& floors, const Rational& implied) {
    std::optional<Rational> certified;
    for (const std::string& floor : floors) {
      const json::Value& other = property(floor, name);
      const Rational lower = number(other, "lower", floor);
      if (!certified || lower < *certified) certified = lower;
      // Both the floor's witness and the theorem cannot be right: somebody's proof is wrong.
      if (number(other, "upper", floor) < implied) {
        throw Rejected{{"SP0902", name, "an exact input contradicts the theorem"}, 5};
      }
    }
    require(number(entry, "certified", name) == *certified, name,
            "certified floor is another number");
  }

  const Layer& layer_;
  const Head& head_;  // the first, and the only one where one_head_
  bool one_head_;
  std::vector<HeadRanges> ranges_;  // of a layer certificate
  std::map<std::string, const json::Value*> properties_;
  std::string model_sha256_;
  Verified verified_;
};

}  // namespace

Verified verify_checkpoint(const json::Value& certificate, const Layer& layer) {
  return Checkpoint(certificate, layer).verify();
}

}  // namespace sinkproof::check
