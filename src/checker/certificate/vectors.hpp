// A vector certificate as data, read strictly and in one place. VECTOR_RULES.md: every key there is
// and no other, every number in its range. Whether what it states is true is for check/ to say.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "certificate/pattern.hpp"
#include "exact/exp_enclosure.hpp"
#include "exact/matrix.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

inline constexpr std::size_t kMaxVectors = 1024;

// The head of a file whose values the vectors are.
struct HeadSource {
  std::string sha256;
  std::string prefix;  // "" or "layers.N."
  std::size_t num_heads = 1;
  std::size_t head = 0;  // from 0
};

// What the vectors are: the rows of a tensor, or a head's values at them.
struct VectorSource {
  std::string sha256;
  std::string tensor;
  std::optional<HeadSource> head;
};

// sum c_k v_k, the k strictly increasing.
struct Term {
  std::size_t vector = 0;
  exact::Integer coefficient;
};
using Combination = std::vector<Term>;

// All of these name vectors by their numbers, from 0. Ends are in order, those of the first four
// at least 0.

struct Cost {  // 6.3: the least ||W_Q||^2 + ||W_K||^2
  static constexpr std::string_view kName = "cost";
  Pattern pattern;
  exact::Enclosure cost;
  exact::ScaledMatrix query{};  // r rows, all of one length
  exact::ScaledMatrix key{};
  std::vector<WeightedTriple> multipliers{};
  exact::Rational norm{};
};

struct Infeasible {  // 6.4
  static constexpr std::string_view kName = "infeasible";
  Pattern pattern;
  std::vector<WeightedTriple> multipliers;  // not empty
};

struct Representable {  // 6.5
  static constexpr std::string_view kName = "representable";
  Pattern pattern;
  exact::Enclosure squared_margin;  // lower > 0
  exact::ScaledMatrix matrix;
  std::vector<WeightedTriple> multipliers;  // not empty
};

struct HullDistance {  // 6.6
  static constexpr std::string_view kName = "hull-distance";
  std::vector<std::size_t> vectors;
  exact::Enclosure squared;
  Combination weights;
  Combination direction;
};

struct Switch {  // 6.6
  static constexpr std::string_view kName = "switch";
  std::size_t anchor = 0;
  std::vector<std::size_t> others;  // without the anchor
  exact::Rational gap;              // > 0; the next three >= 0
  exact::Rational anchor_loss;
  exact::Rational anchor_norm;
  exact::Rational spread;
  Combination direction;
};

struct Smoothing {  // 6.7
  static constexpr std::string_view kName = "smoothing";
  exact::Rational beta;
  exact::Enclosure s;
  exact::Enclosure t;
  exact::Enclosure s_plus_t;
  exact::Enclosure mean_norm;
  exact::Enclosure spread;
};

using VectorProperty =
    std::variant<Cost, Infeasible, Representable, HullDistance, Switch, Smoothing>;

struct Vectors {
  std::string claim_sha256;
  VectorSource source;
  std::vector<VectorProperty> properties;  // no two state the same
};

// Of `count` vectors; before the input is read, of as many as there may be. Throws Rejected:
// SP0503, SP0101, SP0901 naming the field.
Vectors read_vectors(const json::Value& certificate, std::size_t count = kMaxVectors);

// The descriptions that read and write them (schema.hpp).
class Fields;
void describe(Fields& io, Vectors& of, std::size_t count);
void describe_statement(Fields& io, VectorProperty& of, std::size_t count);
void describe_evidence(Fields& io, VectorProperty& of, std::size_t count);

}  // namespace sinkproof::certificate
