#include "certificate/checkpoint.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "certificate/envelope.hpp"
#include "certificate/numbers.hpp"

namespace sinkproof::certificate {
namespace {

using exact::Rational;

constexpr std::size_t kMaxLength = 1'000'000;
constexpr std::size_t kMaxGivenLength = 1024;
constexpr std::uint64_t kMaxGiven = 16'777'216;

void describe_inputs(Fields& io, GivenInputs& of, const Checkpoint& whole) {
  const std::size_t width = whole.model.d_model;
  const std::size_t length = whole.length;
  if (io.reads()) {
    require(length <= kMaxGivenLength, "length", "must be at most 1024 for given inputs");
  }
  const std::uint64_t passes =
      std::uint64_t{length} * whole.model.num_heads * whole.model.num_layers;
  const std::uint64_t most = kMaxGiven / std::max<std::uint64_t>(passes, 1);
  if (io.has("count", of.count > 0)) {
    io.require(width >= 4 && length >= 3, "drawn sequences need n >= 4 and L >= 3");
    io.count("count", of.count, 1, most);
    io.count("seed", of.seed, 0, INT64_MAX);
  } else if (io.has("sequences", !of.sequences.empty())) {
    exact::Integer common = 1;
    io.list("sequences", of.sequences, {1, most, "no sequences, or too many"},
            [&](Fields& list, const Key& key, exact::RationalMatrix& sequence) {
              describe_matrix(list, key, sequence, length, width, common, "must have L tokens");
            });
  } else {
    io.hash(of.sha256);
    io.text("tensor", of.tensor);
  }
}

void describe(Fields& io, Multipliers& of, std::size_t noise) {
  const Entries entries{noise, noise, "must have d entries"};
  const auto one = [](Fields& list, const Key& key, Rational& x) {
    list.number(key, x);
    list.require(!list.reads() || is_multiplier(x),
                 "must be positive, below 10^100 and whole times 10^100");
  };
  io.list("keys", of.keys, entries, one);
  io.list("queries", of.queries, entries, one);
  io.list("own", of.own, entries, one);
}

void describe_multipliers(Fields& io, Checkpoint& of) {
  if (!io.has("multipliers", !of.multipliers.empty())) return;
  const bool has_forms = std::any_of(
      of.properties.begin(), of.properties.end(),
      [](const Property& property) { return part_of<Trees>(property.proof) != nullptr; });
  io.require_of("multipliers", has_forms || of.ranges, "no rule asks for them");
  const std::size_t heads = of.model.num_heads;
  io.list("multipliers", of.multipliers, {heads, heads, "must be one for each head"},
          [&](Fields& list, const Key& key, Multipliers& head) {
            list.object(key, [&](Fields& part) { describe(part, head, of.noise()); });
          });
}

void describe_scope(Fields& io, Checkpoint& of) {
  of.over_box = !io.is_null("box", !of.over_box);
  io.count("length", of.length, of.over_box ? 3 : 1, kMaxLength);
  io.object("model", [&](Fields& model) { describe(model, of.model); });
  if (!of.over_box) return io.null("triggers", "must be null where box is");
  if (io.reads()) require(of.model.d_model >= 4, "model.d_model", "must be at least 4");
  describe_box(io, "box", of.box, of.noise());
  const std::string what = "must be [a,b] with 3 <= a <= b <= L";
  io.array("triggers", 2, {2, 2, what}, [&](Fields& ends, std::size_t) {
    ends.count(0, of.first_trigger, 3, of.length);
    ends.count(1, of.last_trigger, of.first_trigger, of.length);
  });
}

// Only rule stack knows of several layers, residual connections and some trigger positions.
void require_one_layer(const Checkpoint& of) {
  require(of.model.num_layers == 1, "model.num_layers", "must be 1 for this rule");
  require(!of.model.residual, "model.residual", "must be false for this rule");
  require(of.first_trigger == 3 && of.last_trigger == of.length, "triggers",
          "must be [3,L] for this rule");
}

// What the properties' rules ask of the rest of the certificate.
void require_whole(const Checkpoint& of) {
  using Place = std::optional<std::size_t>;
  std::set<std::tuple<std::string, Place, Place>> stated;
  std::set<std::string_view> rules;
  for (const Property& property : of.properties) {
    rules.insert(rule_of(property.proof));
    const Bound* bound = property.bound();
    const Place layer = bound == nullptr ? Place() : bound->layer;
    const bool is_new = stated.emplace(property.name, layer, layer ? bound->head : Place()).second;
    require(is_new, property.name, "stated twice");
  }
  const bool by_forward = rules.contains(ByForward::kName);
  require(of.inputs.has_value() == by_forward, "inputs",
          "are for properties of rule forward, and no others");
  const AttentionKind kind = of.model.kind();
  const bool by_ranges = std::any_of(rules.begin(), rules.end(), [&](std::string_view rule) {
    return rests_on_ranges(rule, kind);
  });
  require(of.ranges.has_value() == by_ranges, "ranges", "are given exactly where a rule uses them");
  const bool all_given = by_forward && rules.size() == 1;
  require(of.over_box != all_given, "box", "must be null exactly where all inputs are given");
  if (!all_given && !of.is_stack()) require_one_layer(of);
}

}  // namespace

bool is_multiplier(const Rational& x) {
  static const exact::Integer most = pow(exact::Integer(10), 100);
  return x > 0 && numerator(x) < most && most % denominator(x) == 0;
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
    return part_of<Polynomials>(property.proof) != nullptr ||
           std::holds_alternative<ByMaximum>(property.proof) ||
           std::holds_alternative<ByRandom>(property.proof) || property.name == "theorem.tc-4";
  });
}

void describe(Fields& io, Checkpoint& of) {
  std::int64_t format = kCheckpointFormat;
  io.integer("format", format, 1, kCheckpointFormat);
  io.require_of(
      "format", format == kCheckpointFormat,
      "a checkpoint certificate of an older format: make it again with `sinkproof certify MODEL`",
      "SP0505");
  io.constant("kind", "checkpoint");
  io.constant("claim", "checkpoint");
  io.constant("semantics", "real");
  io.text("claim_sha256", of.claim_sha256);
  describe_scope(io, of);
  if (!io.is_null("inputs", !of.inputs)) {
    if (!of.inputs) of.inputs.emplace();
    io.object("inputs", [&](Fields& part) { describe_inputs(part, *of.inputs, of); });
  }
  if (!io.is_null("ranges", !of.ranges)) {
    if (!of.ranges) of.ranges.emplace();
    io.object("ranges", [&](Fields& part) { describe(part, *of.ranges, of); });
  }
  io.list("properties", of.properties,
          {1, SIZE_MAX, "a certificate with no property shows nothing"},
          [&](Fields& list, const Key& key, Property& property) {
            list.object(key, [&](Fields& part) { describe(part, property, of); });
          });
  if (io.reads()) require_whole(of);
  describe_multipliers(io, of);
}

exact::Result<Checkpoint> read_checkpoint(const json::Value& certificate) {
  return result_of([&] { return read<Checkpoint>(certificate, "certificate"); });
}

}  // namespace sinkproof::certificate
