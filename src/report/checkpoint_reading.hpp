// A checkpoint certificate (src/certificate/CHECKPOINT_RULES.md) as the page needs it: bounds,
// theorems and witnesses, without the proofs. The certificate was accepted by the checker before,
// so anything unexpected means that it is not the one the outcome speaks of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::report {

// An exact input of the task; rows are positions, from 1.
struct Witness {
  std::size_t trigger = 0;
  std::size_t row = 0;
  std::vector<std::vector<double>> tokens;  // [length][d_model], the nearest doubles
};

struct Bound {
  std::string name;  // "sup-loss.pre"
  std::string verdict;
  exact::Rational lower;
  exact::Rational upper;
  bool is_loss = false;   // sup-loss*: on the logarithmic chart
  bool is_floor = false;  // bos-floor*: lower is proved, upper attained; otherwise the reverse
  std::string shared;     // the name of the property whose witness this one uses; else ""
  std::optional<Witness> witness;
};

struct Theorem {
  std::string name;   // "theorem.tc-1"
  std::string claim;  // "tc-1"
  std::string verdict;
  exact::Rational eta;
  // Absent when the theorem's hypothesis fails for this head.
  std::optional<exact::Rational> implied;
  std::optional<exact::Rational> certified;
};

struct Checkpoint {
  std::string attention;
  std::size_t d_model = 0;
  std::size_t length = 0;
  std::string sha256;
  std::string semantics;
  std::vector<std::string> overrides;
  std::vector<Bound> bounds;
  std::vector<Theorem> theorems;
};

// SP1202 naming the field when the certificate is not of the form the checker accepts.
exact::Result<Checkpoint> read_checkpoint(const json::Value& certificate, const std::string& where);

}  // namespace sinkproof::report
