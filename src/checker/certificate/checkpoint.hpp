// A checkpoint certificate as data, read strictly and in one place. CHECKPOINT_RULES.md, 4.1, 4.6,
// 4.7, 4.17 and 4.18: every key there is and no other, every number in its range, every name known,
// every witness of the task's form. Its properties and what proves them: property.hpp, proof.hpp.
// Whether what it states is true is for check/ to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certificate/box.hpp"
#include "certificate/model_reading.hpp"
#include "certificate/property.hpp"
#include "certificate/ranges.hpp"
#include "exact/error.hpp"
#include "exact/matrix.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

// The given inputs: in the certificate, in a file, or drawn again from digests.
struct GivenInputs {
  std::vector<exact::RationalMatrix> sequences;  // [L, n] each; empty: the others
  std::string sha256;                            // of a safetensors file, or ""
  std::string tensor;
  std::size_t count = 0;  // of drawn sequences
  std::uint64_t seed = 0;
};

// Of one head: d positive numbers each. CHECKPOINT_RULES.md, 4.5.
struct Multipliers {
  std::vector<exact::Rational> keys;
  std::vector<exact::Rational> queries;
  std::vector<exact::Rational> own;
};

// Positive, the numerator below 10^100, the denominator a divisor of it: sums stay short.
bool is_multiplier(const exact::Rational& x);

struct Checkpoint {
  std::string claim_sha256;
  std::size_t length = 0;         // L
  bool over_box = true;           // speaks of all inputs; otherwise of the given ones alone
  Box box;                        // of their noise
  std::size_t first_trigger = 3;  // of the positions of the trigger it speaks of
  std::size_t last_trigger = 0;
  ModelReading model;
  std::optional<GivenInputs> inputs;
  std::optional<Ranges> ranges;
  std::vector<Multipliers> multipliers;  // one for each head, or none; all is_multiplier()
  std::vector<Property> properties;

  [[nodiscard]] std::size_t noise() const { return model.d_model - 3; }
  // Whether every property is one of stacks, of any depth.
  [[nodiscard]] bool is_stack() const;
  // Rows after a trigger there are.
  [[nodiscard]] bool has_post() const { return first_trigger < length; }
  // By name; of all heads. Null where there is none.
  [[nodiscard]] const Property* find(const std::string& name) const;
};

// SP0503, SP0101: a key or value that is not of the form; SP0901: a value outside what the page
// allows; SP0505: a certificate of an older format, to be made again with `certify`. All name the
// field.
exact::Result<Checkpoint> read_checkpoint(const json::Value& certificate);

// The description that reads and writes it (schema.hpp).
void describe(Fields& io, Checkpoint& of);

}  // namespace sinkproof::certificate
