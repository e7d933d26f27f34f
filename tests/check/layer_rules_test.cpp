// Layer certificates of every kind of attention: what certify makes is accepted and true, what is
// false or altered is not accepted.
#include <catch2/catch.hpp>

#include "certificate/sha256.hpp"
#include "exact/rational.hpp"
#include "output/safetensors.hpp"
#include "rounded/double.hpp"
#include "safetensors/safetensors.hpp"
#include "small_heads.hpp"
#include "small_layers.hpp"

using namespace sinkproof;
using exact::Rational;
using json::Value;
using test::SmallLayer;

namespace {

double number(const Value& text) {
  return rounded::to_double_estimate(*exact::parse_rational(text.get<std::string>()));
}

std::string text(double value) { return exact::to_string(rounded::from_double(value)); }

bool has_bounds(const Value& entry) { return entry.contains("upper"); }

bool is_lower_bound(const std::string& name) { return name.find("-floor") != std::string::npos; }

// Whether the statement of one property is compatible with what was seen.
bool may_be_true(const Value& entry, const std::map<std::string, test::Extremes>& seen) {
  constexpr double kRounding = 1e-9;
  const auto& extreme = seen.at(entry["name"].get<std::string>());
  if (is_lower_bound(entry["name"].get<std::string>())) {
    return number(entry["lower"]) <= extreme.least + kRounding;
  }
  return number(entry["upper"]) >= extreme.greatest - kRounding;
}

const std::map<std::string, test::Extremes>& seen(const SmallLayer& layer) {
  static std::map<std::string, std::map<std::string, test::Extremes>> all;
  auto& entry = all[layer.name];
  if (entry.empty()) entry = test::extremes(layer);
  return entry;
}

}  // namespace

TEST_CASE("certificates of small layers are accepted, true and not loose") {
  REQUIRE(test::small_layers().size() == 20);
  for (const SmallLayer& layer : test::small_layers()) {
    INFO(layer.name);
    CHECK(test::refusal(layer.certificate, layer) == "accepted");
    std::size_t bounded = 0;
    for (const Value& entry : layer.certificate["properties"]) {
      if (!has_bounds(entry)) continue;
      ++bounded;
      const std::string name = entry["name"].get<std::string>();
      INFO(name << " " << entry["lower"] << " " << entry["upper"]);
      CHECK(may_be_true(entry, seen(layer)));
      // The attained side is attained: the grid holds all vertices, so nothing is far beyond it.
      const double gap = number(entry["upper"]) - number(entry["lower"]);
      CHECK(gap <= 0.05 + 0.5 * number(entry["upper"]));
    }
    CHECK(bounded >= 10);
  }
}

TEST_CASE("a bound beyond what an input attains is rejected for every property of every layer") {
  for (const SmallLayer& layer : test::small_layers()) {
    const auto& extremes = seen(layer);
    for (std::size_t i = 0; i < layer.certificate["properties"].size(); ++i) {
      const Value& entry = layer.certificate["properties"][i];
      const std::string name = entry["name"].get<std::string>();
      if (!has_bounds(entry) || name == "sup-loss") continue;
      INFO(layer.name << " " << name);
      const test::Extremes& extreme = extremes.at(name);
      const double size = 1e-6 + std::abs(extreme.greatest) * 1e-3;
      Value lie = layer.certificate;
      lie["properties"] = Value::array({entry});
      lie = test::settled(std::move(lie), layer.certificate["ranges"]);
      Value& lied = lie["properties"][0];
      if (is_lower_bound(name)) {
        lied["lower"] = text(extreme.least + size);
        lied["upper"] = text(extreme.greatest + 1);
      } else {
        lied["upper"] = text(extreme.greatest - size);
        lied["lower"] = lied["upper"];
        if (name.starts_with("sup-loss")) lied["lower"] = "0";
        if (extreme.greatest - size < 0) continue;  // nothing below zero can be claimed anyway
      }
      CHECK(test::refusal(lie, layer) != "accepted");
    }
  }
}

namespace {

// Every string, number and key of a value, changed one at a time.
void mutants(const Value& original, const std::string& where,
             std::vector<std::pair<std::string, Value>>& found, const Value& whole) {
  const auto add = [&](const Value& changed) {
    if (changed == original) return;
    Value mutant = whole;
    mutant[Value::json_pointer(where)] = changed;
    found.emplace_back(where, std::move(mutant));
  };
  if (original.is_object()) {
    for (const auto& [key, child] : original.items()) {
      Value without = original;
      without.erase(key);
      add(without);
      mutants(child, where + "/" + key, found, whole);
    }
    Value more = original;
    more["extra"] = "0";
    add(more);
  } else if (original.is_array()) {
    Value shorter = original;
    if (!shorter.empty()) shorter.erase(shorter.size() - 1);
    add(shorter);
    Value longer = original;
    longer.push_back(original.empty() ? Value("0") : original[0]);
    add(longer);
    for (std::size_t i = 0; i < original.size(); ++i) {
      mutants(original[i], where + "/" + std::to_string(i), found, whole);
    }
  } else if (original.is_string()) {
    add(original.get<std::string>() + "0");
    add(nullptr);
    const auto value = exact::parse_rational(original.get<std::string>());
    if (!value) return;
    for (const Rational& changed :
         {Rational(-*value), Rational(*value * 2), Rational(*value / 2), Rational(*value + 1),
          Rational(*value - 1), Rational(*value * exact::make_rational(1001, 1000)),
          Rational(*value * exact::make_rational(999, 1000)), Rational(0)}) {
      if (changed != *value) add(exact::to_string(changed));
    }
  } else {
    add("x");
    if (original.is_number_integer()) add(original.get<std::int64_t>() + 1);
  }
}

bool all_true(const Value& certificate, const std::map<std::string, test::Extremes>& extremes) {
  for (const Value& entry : certificate["properties"]) {
    if (has_bounds(entry) && !may_be_true(entry, extremes)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("an altered layer certificate is rejected or still true", "[slow]") {
  std::size_t tried = 0;
  std::size_t refused = 0;
  for (const SmallLayer& layer : test::small_layers()) {
    std::vector<std::pair<std::string, Value>> found;
    mutants(layer.certificate["ranges"], "/ranges", found, layer.certificate);
    mutants(layer.certificate["model"], "/model", found, layer.certificate);
    // Of the properties only what is not the witness: those are tested with the heads.
    for (std::size_t i = 0; i < layer.certificate["properties"].size(); ++i) {
      const std::string where = "/properties/" + std::to_string(i);
      for (const char* key : {"/lower", "/upper", "/proof", "/verdict", "/name"}) {
        const Value::json_pointer at(where + key);
        if (layer.certificate.contains(at)) {
          mutants(layer.certificate.at(at), where + key, found, layer.certificate);
        }
      }
    }
    for (const auto& [where, mutant] : found) {
      ++tried;
      if (test::refusal(mutant, layer) != "accepted") {
        ++refused;
        continue;
      }
      INFO(layer.name << " " << where);
      // A range may be proved by looser numbers, and a bound may be looser than known: that is
      // not a false certificate.
      CHECK(all_true(mutant, seen(layer)));
      const bool harmless = where.starts_with("/properties/") || where.starts_with("/ranges/");
      CHECK(harmless);
    }
  }
  CHECK(tried > 5000);
  CHECK(refused > tried / 2);
}

// certify rounds what the rule gives outward at nine digits, so this pins the checker's formula to
// the search's, term by term.
TEST_CASE("a bound a hair tighter than the rule gives is rejected") {
  const Rational hair = exact::make_rational(1, 10000000);
  for (const SmallLayer& layer : test::small_layers()) {
    for (const Value& entry : layer.certificate["properties"]) {
      const std::string name = entry["name"].get<std::string>();
      if (!has_bounds(entry) || name == "sup-loss") continue;
      // The other rules' bounds keep some room for their search.
      if (!entry["proof"]["rule"].get<std::string>().starts_with("layer-")) continue;
      const char* key = is_lower_bound(name) ? "lower" : "upper";
      const Rational bound = *exact::parse_rational(entry[key].get<std::string>());
      const Rational step = hair * exact::max(exact::abs(bound), exact::make_rational(1, 1000000));
      Value tighter = layer.certificate;
      tighter["properties"] = Value::array({entry});
      tighter = test::settled(std::move(tighter), layer.certificate["ranges"]);
      Value& changed = tighter["properties"][0];
      changed[key] =
          exact::to_string(is_lower_bound(name) ? Rational(bound + step) : Rational(bound - step));
      // The attained side out of the way, so that only the rule can object.
      if (name.starts_with("sup-loss")) changed["lower"] = "0";
      if (name.starts_with("sup-loss") && bound == 0) continue;
      if (is_lower_bound(name)) changed["upper"] = "2";
      INFO(layer.name << " " << name);
      const std::string why = test::refusal(tighter, layer);
      const bool attained_first = why.find("the witness does not attain") != std::string::npos ||
                                  why.find("lower <= upper") != std::string::npos;
      const bool by_rule = why.starts_with("layer-") || why.starts_with("row 1");
      CHECK((by_rule || attained_first));
    }
  }
}

TEST_CASE("ranges that do not enclose a kernel are rejected") {
  for (const SmallLayer& layer : test::small_layers()) {
    for (std::size_t h = 0; h < layer.certificate["ranges"]["heads"].size(); ++h) {
      const Value& classes = layer.certificate["ranges"]["heads"][h]["classes"];
      for (const auto& [name, of_class] : classes.items()) {
        const Value& range = of_class;
        const auto end = [&](const char* key) {
          return *exact::parse_rational(range[key].get<std::string>());
        };
        // More than the room the search leaves above the maximum, so that it is a false
        // certificate.
        const Rational step = (end("high") - end("low")) / 50 + exact::make_rational(1, 100000);
        for (const std::string key : {"least", "low", "greatest", "high"}) {
          const bool lower = key == "least" || key == "low";
          const bool logit = key == "low" || key == "high";
          const Rational by = logit ? step : exact::make_rational(1, 100000);
          Value lie = layer.certificate;
          lie["ranges"]["heads"][h]["classes"][name][key] =
              exact::to_string(lower ? end(key.c_str()) + by : end(key.c_str()) - by);
          INFO(layer.name << " " << name << " " << key);
          CHECK(test::refusal(lie, layer) != "accepted");
        }
      }
    }
  }
}

TEST_CASE("a layer's file may hold no tensor that the layer does not use") {
  for (const SmallLayer& layer : test::small_layers()) {
    SmallLayer other = layer;
    const std::string name = "W_V.weight";
    const std::size_t at = other.model_bytes.find(name);
    REQUIRE(at != std::string::npos);
    other.model_bytes.replace(at, name.size(), "W_X.weight");
    Value renamed = layer.certificate;
    renamed["model"]["sha256"] = certificate::sha256_hex(other.model_bytes);
    CHECK(test::refusal(renamed, other) == "model file: tensor W_V.weight is missing");
  }
}

TEST_CASE("a layer has as many sinks as heads where its kind has them, and none elsewhere") {
  const std::string missing = "model file: tensor sinks is missing";
  const std::string other_shape = "model file: tensor sinks has another shape";
  const std::string unknown = "model file: tensor sinks is not part of the model certified";
  std::size_t with_sinks = 0;
  for (const SmallLayer& layer : test::small_layers()) {
    INFO(layer.name);
    const auto said = [&](const std::optional<std::vector<std::uint64_t>>& shape) {
      auto contents = *safetensors::parse(layer.model_bytes, "model");
      contents.tensors.erase("sinks");
      if (shape) {
        std::uint64_t count = 1;
        for (const std::uint64_t extent : *shape) count *= extent;
        contents.tensors["sinks"] = output::float32_tensor(*shape, std::vector<float>(count, 0.5F));
      }
      SmallLayer other = layer;
      other.model_bytes = output::serialize(contents);
      Value renamed = layer.certificate;
      renamed["model"]["sha256"] = certificate::sha256_hex(other.model_bytes);
      return test::refusal(renamed, other);
    };
    const std::uint64_t heads = layer.certificate["model"]["num_heads"].get<std::uint64_t>();
    if (layer.certificate["model"]["attention"] != "softmax-sink") {
      CHECK(said({{heads}}) == unknown);
      continue;
    }
    ++with_sinks;
    CHECK(said(std::nullopt) == missing);
    for (const auto& shape : std::vector<std::vector<std::uint64_t>>{
             {}, {heads + 1}, {heads, 1}, {1, heads}, {4 * heads}}) {
      CHECK(said(shape) == other_shape);
    }
    // Of the right shape, but another model: what holds of one's sinks does not of the other's.
    CHECK(said({{heads}}) != "accepted");
  }
  CHECK(with_sinks == 2);
}

TEST_CASE("numbers that would keep the rules busy for days are rejected") {
  // 1 + 10^-2000, and a number just long enough.
  const std::string zeros(1999, '0');
  const std::string longer = "1" + zeros + "1/1" + zeros + "0";
  const std::string longest = "1" + zeros;
  for (const SmallLayer& layer : test::small_layers()) {
    INFO(layer.name);
    Value slow = layer.certificate;
    Value& class_of_keys = slow["ranges"]["heads"][0]["classes"]["content_content"];
    class_of_keys["greatest"] = longer;
    CHECK(test::refusal(slow, layer) == "greatest: has more than 2000 characters");
    class_of_keys["greatest"] = longest;
    CHECK(test::refusal(slow, layer).find("characters") == std::string::npos);
    class_of_keys["least"] = longer;
    CHECK(test::refusal(slow, layer) == "least: has more than 2000 characters");
  }
}
