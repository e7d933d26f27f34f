#include "check/checkpoint.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include "attention/given.hpp"
#include "attention/layer.hpp"
#include "attention/ranges.hpp"
#include "attention/rules.hpp"
#include "attention/stack.hpp"
#include "attention/theorem.hpp"
#include "attention/witness.hpp"
#include "certificate/beside_bounds.hpp"
#include "certificate/checkpoint.hpp"
#include "certificate/envelope.hpp"
#include "certificate/rule.hpp"
#include "safetensors/safetensors.hpp"
#include "sampling/sampling.hpp"

namespace sinkproof::check {
namespace {

using certificate::Bound;
using certificate::Property;
using exact::Rational;
using Names = std::vector<std::string>;

class Checkpoint {
 public:
  Checkpoint(const certificate::Checkpoint& stated, const forward::Model& model)
      : stated_(stated), model_(model), stack_(model, stated) {}

  // The claims whose truth the theorem entries rest on; sets whether something is statistical.
  Names verify(const FileBySha256& file, bool& statistical) {
    if (stated_.over_box && !stated_.is_stack()) {
      layer_ = one_layer(model_.model(), stated_.length, stated_.box);
    }
    if (!stated_.multipliers.empty()) require_multipliers();
    if (stated_.ranges) {
      Obligations proof(stated_.ranges->trees);
      require_ranges(*layer_, stated_.ranges->heads, proof);
      proof.finish();
      layer_->ranges = stated_.ranges->heads;
    }
    for (const Property& property : stated_.properties) verify_property(property);
    if (stated_.inputs) {
      require_given(model_, stated_, given_sequences(stated_, file));
    }
    statistical = require_random(model_, stated_) || statistical_;
    return claims_;
  }

 private:
  void require_multipliers() {
    for (std::size_t h = 0; h < layer_->heads.size(); ++h) {
      layer_->heads[h].coupling.require_shown(stated_.multipliers[h]);
    }
  }

  void verify_property(const Property& property) {
    if (const Bound* bound = property.bound()) {
      if (!bound->rows) return verify_maximum(property, *bound);
      require_attained(model_, *bound, property.name);
      std::visit([&](const auto& by) { verify_bound(*bound, by); }, property.proof);
    } else if (const auto* largest = std::get_if<certificate::LargestBox>(&property.content)) {
      verify_largest_box(property, *largest);
    } else if (const auto* theorem = std::get_if<certificate::Theorem>(&property.content)) {
      verify_theorem(property, *theorem);
    } else if (const auto* sampled = std::get_if<certificate::SampledTheorem>(&property.content)) {
      verify_sampled(property, *sampled);
    }
  }

  template <typename By>
  void verify_bound(const Bound& bound, const By& by) {
    if constexpr (std::is_base_of_v<certificate::Polynomials, By>) {
      stack_.require_bound(bound, by.kName, by);
    } else if constexpr (requires { require_bound(*layer_, bound, by); }) {
      require_bound(*layer_, bound, by);
    } else {
      require(false, "proof.rule", "no rule for bounds");
    }
  }

  static bool rests_on(const Property& property, const Names& names) {
    const auto* premises = certificate::part_of<certificate::Premises>(property.proof);
    return premises != nullptr && premises->names == names;
  }

  const Bound& bound_of(const std::string& name, const std::string& for_whom) const {
    const Property* found = stated_.find(name);
    require(found != nullptr && found->bound() != nullptr, for_whom, "needs the property " + name);
    return *found->bound();
  }

  [[nodiscard]] Names with_post(Names names, const std::string& post) const {
    if (stated_.has_post()) names.push_back(post);
    return names;
  }

  void verify_maximum(const Property& property, const Bound& bound) const {
    const std::string& name = property.name;
    const Names parts = with_post({"sup-loss.pre", "sup-loss.trigger"}, "sup-loss.post");
    require(rests_on(property, parts), name, "must be the maximum over all classes of rows");
    Rational lower = 0;
    Rational upper = 0;
    for (const std::string& part : parts) {
      lower = exact::max(lower, bound_of(part, name).lower);
      upper = exact::max(upper, bound_of(part, name).upper);
    }
    require(bound.lower == lower && bound.upper == upper, name, "is not the maximum of its parts");
    const bool found = std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
      return part == bound.from && bound_of(part, name).lower == lower;
    });
    require(found, name, "witness.from names no part that attains the lower bound");
  }

  void verify_largest_box(const Property& property, const certificate::LargestBox& largest) {
    const std::string& name = property.name;
    const std::string of = name.substr(name.find('.') + 1);
    const Rational& threshold = largest.threshold;
    const Bound& beyond = largest.beyond;
    const bool floor = is_floor(beyond.readout);
    require(rests_on(property, Names{of}), name, "rests on another property");
    const Bound& within = bound_of(of, name);
    require(floor ? within.lower >= threshold : within.upper <= threshold, name,
            "its box is not shown to meet the threshold");
    if (!largest.upper) return;
    require(floor ? beyond.upper < threshold : beyond.lower > threshold, name,
            "what is attained meets the threshold");
    require_attained(model_, beyond, name);
  }

  void verify_theorem(const Property& property, const certificate::Theorem& theorem) {
    const std::string& name = property.name;
    require(theorem.eta == bound_of("sup-loss", name).upper, name,
            "eta is not the certified sup loss");
    const bool first = theorem.claim == "tc-1";
    const bool deep = theorem.claim == "tc-4";
    const std::string floor = deep ? "rollout-floor" : "bos-floor";
    const Names floors =
        first ? Names{floor + ".pre"} : with_post({floor + ".pre"}, floor + ".post");
    require(rests_on(property, floors), name, "compares with the wrong floors");
    std::optional<Implied> implied;
    if (const auto unit = loss_unit(stated_.box)) {
      const auto& implied_by = first ? implied_by_tc1 : deep ? implied_by_tc4 : implied_by_tc3;
      implied = implied_by(theorem.eta / *unit, stated_.length);
    }
    if (!implied) {
      require(property.verdict == "not-applicable" && !theorem.implied && !theorem.certified &&
                  !theorem.parameter,
              name, "its hypothesis fails for this head");
      return;
    }
    require(property.verdict == "proved", name, "its hypothesis holds: verdict must be proved");
    require(theorem.parameter == implied->parameter, name, "parameter is another number");
    require(theorem.implied == implied->floor, name, "implied floor is another number");
    compare_floors(name, theorem, floors, implied->floor);
    claims_.push_back(theorem.claim);
  }

  void compare_floors(const std::string& name, const certificate::Theorem& theorem,
                      const Names& floors, const Rational& implied) const {
    std::optional<Rational> certified;
    for (const std::string& floor : floors) {
      const Bound& bound = bound_of(floor, name);
      if (!certified || bound.lower < *certified) certified = bound.lower;
      // Both the floor's witness and the theorem cannot be right: somebody's proof is wrong.
      if (bound.upper < implied) {
        throw Rejected{{"SP0902", name, "an exact input contradicts the theorem"}, 5};
      }
    }
    require(theorem.certified == certified, name, "certified floor is another number");
  }

  void verify_sampled(const Property& property, const certificate::SampledTheorem& theorem) {
    const std::string& name = property.name;
    const certificate::Sampled& sampled = theorem.sampled;
    require(rests_on(property, Names{"bos-floor.pre"}), name, "compares with the wrong floors");
    const Rational length(stated_.length);
    require(theorem.implied == 1 - sampled.delta * (length - 1) * (length - 2) / 2, name,
            "implied must be 1 - delta (L-1)(L-2)/2");
    const auto unit = loss_unit(stated_.box);
    require(unit && 12 * sampled.threshold <= *unit, name, "does not apply to this box and eta");
    require(theorem.floor == 1 - 3 * sampled.threshold / *unit, name, "floor must be 1 - 3 eta'");
    require(theorem.certified == bound_of("bos-floor.pre", name).lower, name,
            "certified floor is another number");
    for (const std::string part : {"sup-loss.pre", "sup-loss.post"}) {
      require(bound_of(part, name).upper <= sampled.threshold, name,
              "rows beside the trigger's may exceed eta");
    }
    require_sampled(model_, stated_, sampled);
    claims_.emplace_back("tc-2");
    statistical_ = true;
  }

  const certificate::Checkpoint& stated_;
  forward::Prepared model_;
  std::optional<Layer> layer_;  // where bounds over a box are stated by rules of one layer
  Stack stack_;
  Names claims_;
  bool statistical_ = false;
};

// No string in `value`, which stands under `key`, is long; those of these keys have other limits.
void require_short_strings(const json::Value& value, const std::string& key) {
  constexpr std::size_t kMaxCharacters = 2000;
  if (value.is_string()) {
    require(value.get_ref<const std::string&>().size() <= kMaxCharacters, key,
            "has more than 2000 characters");
  } else if (value.is_array()) {
    for (const json::Value& part : value) require_short_strings(part, key);
  } else if (value.is_object()) {
    for (const auto& [name, part] : value.items()) {
      if (name != "points" && name != "tokens" && name != "trees")
        require_short_strings(part, name);
    }
  }
}

}  // namespace

Verified verify_checkpoint(const json::Value& certificate, const FileBySha256& file,
                           const std::function<void()>& once_read) {
  const auto stated = value_of(certificate::read_checkpoint(certificate));
  once_read();
  const std::string model_bytes = file(stated.model.sha256);
  for (const char* part : {"multipliers", "properties", "ranges"}) {
    if (certificate.contains(part)) require_short_strings(certificate[part], part);
  }
  const auto contents = value_of(safetensors::parse(model_bytes, "model file"));
  const forward::Model model = forward::read_model(contents, stated.model);
  Verified verified;
  std::string rests_on;
  for (const std::string& claim : Checkpoint(stated, model).verify(file, verified.statistical)) {
    rests_on += (rests_on.empty() ? "theorem entries rest on " : ", ") + claim;
  }
  verified.overrides = stated.model.overrides;
  verified.remarks = {certificate::reading_text(stated.model.overrides, stated.model.scale),
                      rests_on, certificate::inputs_text(stated),
                      certificate::lengths_text(stated)};
  return verified;
}

}  // namespace sinkproof::check
