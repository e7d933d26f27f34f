// Exact inputs and what they attain. CHECKPOINT_RULES.md section 4.5.
#pragma once

#include "check/head.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

enum class Rows { kPre, kTrigger, kPost };

struct Witness {
  std::size_t trigger = 0;  // j
  std::size_t row = 0;      // i
  std::size_t coordinate = 0;
  int sign = 1;
  std::vector<std::vector<exact::Rational>> tokens;
};

// A well-formed witness whose row is in the class (`from_two`: and i >= 2). Throws Rejected.
Witness read_witness(const json::Value& object, const Head& head, Rows rows, bool from_two);

exact::Rational dot(const std::vector<exact::Rational>& a, const std::vector<exact::Rational>& b);

// The target of the witness's row and coordinate.
exact::Rational target(const Witness& witness);

// A number <= sign * (out_r - target_r) at the witness.
exact::Rational loss_down(const Head& head, const Witness& witness);

// Numbers <= and >= the BOS attention of the witness's row.
exact::Rational bos_down(const Head& head, const Witness& witness);
exact::Rational bos_up(const Head& head, const Witness& witness);

}  // namespace sinkproof::check
