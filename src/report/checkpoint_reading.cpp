#include "report/checkpoint_reading.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "certificate/fields.hpp"
#include "certificate/sha256.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::report {
namespace {

using certificate::array_field;
using certificate::integer_field;
using certificate::rational_field;
using certificate::string_field;
using exact::fail;
using exact::Rational;
using exact::Result;
using json::Value;

constexpr std::int64_t kMaxLength = 1'000'000;
constexpr std::int64_t kMaxWidth = 4096;
constexpr std::int64_t kMaxHeads = 64;
constexpr std::int64_t kMaxSamples = 100'000;

constexpr std::array<std::string_view, 5> kFamilies = {"sup-loss", "bos-floor", "bos-ceiling",
                                                       "null-floor", "null-ceiling"};

tl::unexpected<exact::Error> mismatch(const std::string& where, const std::string& what) {
  return fail("SP1202", where, what);
}

tl::unexpected<exact::Error> mismatch(const exact::Error& error) {
  return fail("SP1202", error.where, error.what);
}

Result<std::vector<double>> read_token(const Value& token, std::size_t d_model,
                                       const std::string& where) {
  if (!token.is_array() || token.size() != d_model) {
    return mismatch(where, "a token needs d_model numbers");
  }
  std::vector<double> numbers;
  numbers.reserve(d_model);
  for (const Value& entry : token) {
    const auto number = exact::parse_rational(entry.is_string() ? entry.get<std::string>() : "");
    if (!number) return mismatch(where, "a token's entries must be rational numbers");
    numbers.push_back(exact::to_double_estimate(*number));
  }
  return numbers;
}

Result<std::size_t> read_position(const Value& witness, const std::string& name, std::size_t length,
                                  const std::string& where) {
  const auto position =
      integer_field(witness, name, 1, static_cast<std::int64_t>(length), where + ": witness");
  if (!position) return mismatch(position.error());
  return static_cast<std::size_t>(*position);
}

Result<Witness> read_witness(const Value& value, const Checkpoint& head, const std::string& where) {
  const auto trigger = read_position(value, "trigger", head.length, where);
  if (!trigger) return tl::unexpected(trigger.error());
  const auto row = read_position(value, "row", head.length, where);
  if (!row) return tl::unexpected(row.error());
  const auto tokens = array_field(value, "tokens", where + ": witness");
  if (!tokens) return mismatch(tokens.error());
  if ((*tokens)->size() != head.length) return mismatch(where, "a witness needs length tokens");
  Witness witness{*trigger, *row, {}};
  for (const Value& token : **tokens) {
    auto numbers = read_token(token, head.d_model, where);
    if (!numbers) return tl::unexpected(numbers.error());
    witness.tokens.push_back(std::move(*numbers));
  }
  return witness;
}

Result<void> read_input_of(const Value& entry, const Checkpoint& head, Bound& bound) {
  const auto found = entry.find("witness");
  if (found == entry.end() || !found->is_object()) return mismatch(bound.name, "has no witness");
  if (found->contains("from")) {
    auto shared = string_field(*found, "from", bound.name);
    if (!shared) return mismatch(shared.error());
    bound.shared = std::move(*shared);
    return {};
  }
  auto witness = read_witness(*found, head, bound.name);
  if (!witness) return tl::unexpected(witness.error());
  bound.witness = std::move(*witness);
  return {};
}

Result<Bound> read_bound(const Value& entry, const std::string& name, const Checkpoint& head) {
  Bound bound;
  bound.name = name;
  const std::string family = name.substr(0, name.find('.'));
  if (std::count(kFamilies.begin(), kFamilies.end(), family) == 0) {
    return mismatch(name, "is no property this report knows");
  }
  bound.is_loss = family == "sup-loss";
  bound.is_floor = family.ends_with("-floor");
  bound.is_null = family.starts_with("null-");
  if (bound.is_null && head.attention != "softmax-null") {
    return mismatch(name, "is about a null slot this attention does not have");
  }
  auto verdict = string_field(entry, "verdict", name);
  if (!verdict) return mismatch(verdict.error());
  bound.verdict = std::move(*verdict);
  const auto lower = rational_field(entry, "lower", name);
  if (!lower) return mismatch(lower.error());
  const auto upper = rational_field(entry, "upper", name);
  if (!upper) return mismatch(upper.error());
  const bool may_be_negative = head.attention == "linear" && !bound.is_loss;
  if ((*lower < 0 && !may_be_negative) || *upper < *lower) {
    return mismatch(name, may_be_negative ? "needs lower <= upper" : "needs 0 <= lower <= upper");
  }
  bound.lower = *lower;
  bound.upper = *upper;
  if (const auto read = read_input_of(entry, head, bound); !read) {
    return tl::unexpected(read.error());
  }
  return bound;
}

Result<std::optional<Rational>> read_floor(const Value& entry, const std::string& field,
                                           const std::string& name) {
  const auto found = entry.find(field);
  if (found != entry.end() && found->is_null()) return std::optional<Rational>();
  const auto number = rational_field(entry, field, name);
  if (!number) return mismatch(number.error());
  return std::optional<Rational>(*number);
}

Result<Rational> read_share(const Value& entry, const std::string& field, const std::string& name) {
  const auto number = rational_field(entry, field, name);
  if (!number) return mismatch(number.error());
  if (*number <= 0 || *number >= 1) return mismatch(name, field + " must be between 0 and 1");
  return *number;
}

// In theorem.tc-2 `implied` is a probability and `floor` what it is the probability of.
Result<void> read_sampling(const Value& entry, Theorem& theorem) {
  Sampling sampling;
  const auto samples = integer_field(entry, "samples", 1, kMaxSamples, theorem.name);
  if (!samples) return mismatch(samples.error());
  const auto exceeding = integer_field(entry, "exceeding", 0, *samples, theorem.name);
  if (!exceeding) return mismatch(exceeding.error());
  sampling.samples = *samples;
  sampling.exceeding = *exceeding;
  const auto alpha = read_share(entry, "alpha", theorem.name);
  if (!alpha) return tl::unexpected(alpha.error());
  const auto delta = read_share(entry, "delta", theorem.name);
  if (!delta) return tl::unexpected(delta.error());
  const auto probability = read_share(entry, "implied", theorem.name);
  if (!probability) return tl::unexpected(probability.error());
  const auto floor = rational_field(entry, "floor", theorem.name);
  if (!floor) return mismatch(floor.error());
  if (theorem.verdict != "statistical")
    return mismatch(theorem.name, "verdict must be statistical");
  sampling.alpha = *alpha;
  sampling.delta = *delta;
  sampling.probability = *probability;
  theorem.implied = *floor;
  theorem.sampling = std::move(sampling);
  return {};
}

Result<Theorem> read_theorem(const Value& entry, const std::string& name) {
  Theorem theorem;
  theorem.name = name;
  auto claim = string_field(entry, "claim", name);
  if (!claim) return mismatch(claim.error());
  theorem.claim = std::move(*claim);
  auto verdict = string_field(entry, "verdict", name);
  if (!verdict) return mismatch(verdict.error());
  theorem.verdict = std::move(*verdict);
  const auto eta = rational_field(entry, "eta", name);
  if (!eta) return mismatch(eta.error());
  theorem.eta = *eta;
  const auto implied = read_floor(entry, "implied", name);
  if (!implied) return tl::unexpected(implied.error());
  const auto certified = read_floor(entry, "certified", name);
  if (!certified) return tl::unexpected(certified.error());
  if (implied->has_value() != certified->has_value()) {
    return mismatch(name, "has one of implied and certified without the other");
  }
  theorem.implied = *implied;
  theorem.certified = *certified;
  if (name != "theorem.tc-2") return theorem;
  if (auto sampled = read_sampling(entry, theorem); !sampled) {
    return tl::unexpected(sampled.error());
  }
  return theorem;
}

Result<void> read_property(const Value& entry, Checkpoint& head) {
  const auto name = string_field(entry, "name", "properties");
  if (!name) return mismatch(name.error());
  if (name->starts_with("theorem.")) {
    auto theorem = read_theorem(entry, *name);
    if (!theorem) return tl::unexpected(theorem.error());
    head.theorems.push_back(std::move(*theorem));
    return {};
  }
  auto bound = read_bound(entry, *name, head);
  if (!bound) return tl::unexpected(bound.error());
  head.bounds.push_back(std::move(*bound));
  return {};
}

Result<void> read_model(const Value& certificate, Checkpoint& head) {
  const auto model = certificate.find("model");
  if (model == certificate.end() || !model->is_object()) return mismatch("model", "is missing");
  auto attention = string_field(*model, "attention", "model");
  if (!attention) return mismatch(attention.error());
  const auto kind = model::parse_attention(*attention, "model");
  if (!kind) return mismatch("model: attention", "is not known");
  head.attention = std::move(*attention);
  head.normalised = model::is_normalised(*kind);
  const auto heads = integer_field(*model, "num_heads", 1, kMaxHeads, "model");
  if (!heads) return mismatch(heads.error());
  head.num_heads = static_cast<std::size_t>(*heads);
  const auto d_model = integer_field(*model, "d_model", 4, kMaxWidth, "model");
  if (!d_model) return mismatch(d_model.error());
  head.d_model = static_cast<std::size_t>(*d_model);
  auto sha256 = string_field(*model, "sha256", "model");
  if (!sha256) return mismatch(sha256.error());
  if (!certificate::is_sha256_hex(*sha256)) return mismatch("model: sha256", "is no SHA-256");
  head.sha256 = std::move(*sha256);
  auto overrides = certificate::strings_field(*model, "overrides", "model");
  if (!overrides) return mismatch(overrides.error());
  head.overrides = std::move(*overrides);
  return {};
}

Result<Checkpoint> read_all(const Value& certificate) {
  Checkpoint head;
  if (!certificate.is_object()) return mismatch("certificate", "is no object");
  if (const auto model = read_model(certificate, head); !model) {
    return tl::unexpected(model.error());
  }
  auto semantics = string_field(certificate, "semantics", "certificate");
  if (!semantics) return mismatch(semantics.error());
  head.semantics = std::move(*semantics);
  const auto length = integer_field(certificate, "length", 3, kMaxLength, "certificate");
  if (!length) return mismatch(length.error());
  head.length = static_cast<std::size_t>(*length);
  const auto properties = array_field(certificate, "properties", "certificate");
  if (!properties) return mismatch(properties.error());
  if ((*properties)->empty()) return mismatch("properties", "there are none");
  for (const Value& entry : **properties) {
    if (const auto read = read_property(entry, head); !read) return tl::unexpected(read.error());
  }
  return head;
}

}  // namespace

Result<Checkpoint> read_checkpoint(const Value& certificate, const std::string& where) {
  auto head = read_all(certificate);
  if (!head) return fail("SP1202", where + ": " + head.error().where, head.error().what);
  return head;
}

}  // namespace sinkproof::report
