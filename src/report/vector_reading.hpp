// A vector certificate (src/certificate/VECTOR_RULES.md) as the page needs it: what is stated, and
// of the evidence only the multipliers of an infeasible system. The certificate was accepted by the
// checker before, so anything unexpected means that it is not the one the outcome speaks of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "certificate/pattern.hpp"
#include "exact/error.hpp"
#include "exact/exp_enclosure.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::report {

// All of these name vectors by their numbers, from 0.

struct Cost {  // 6.3: the least ||W_Q||^2 + ||W_K||^2
  certificate::Pattern pattern;
  exact::Enclosure cost;
};

struct Infeasible {  // 6.4
  certificate::Pattern pattern;
  std::vector<certificate::WeightedTriple> multipliers;
};

struct Representable {  // 6.5
  certificate::Pattern pattern;
  exact::Enclosure squared_margin;  // lower > 0
};

struct HullDistance {  // 6.6
  std::vector<std::size_t> vectors;
  exact::Enclosure squared;
};

struct Switch {  // 6.6
  std::size_t anchor = 0;
  std::vector<std::size_t> others;
  exact::Rational gap;  // > 0
  exact::Rational anchor_loss;
  exact::Rational anchor_norm;
  exact::Rational spread;
};

struct Smoothing {  // 6.7
  exact::Rational beta;
  exact::Enclosure s;
  exact::Enclosure t;
  exact::Enclosure s_plus_t;
  exact::Enclosure mean_norm;
  exact::Enclosure spread;
};

using VectorProperty =
    std::variant<Cost, Infeasible, Representable, HullDistance, Switch, Smoothing>;

struct ValueHead {
  std::string sha256;
  std::string prefix;
  std::size_t num_heads = 1;
  std::size_t head = 0;
};

struct Vectors {
  std::string sha256;
  std::string tensor;
  std::optional<ValueHead> head;
  std::vector<VectorProperty> properties;
};

// SP1202 naming the field when the certificate is not of the form the checker accepts.
exact::Result<Vectors> read_vectors(const json::Value& certificate, const std::string& where);

// "sink, reading A", "sink, reading B", "diagonal", "margins".
std::string pattern_name(certificate::PatternKind kind);

// "token 0 is BOS; 4 groups of 2; 4 copies", "12 constraints".
std::string roles_in_words(const certificate::Pattern& pattern);

// Whether there is one copy token for each group.
bool has_copies(const certificate::Pattern& pattern);

}  // namespace sinkproof::report
