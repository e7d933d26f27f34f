// What the theory implies for a model whose sup loss is certified: the sink that tc-1, tc-3 and
// tc-4 force, beside what is certified of it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "certificate/box.hpp"
#include "certify/entries.hpp"
#include "exact/rational.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::certify {

struct Implied {
  std::size_t parameter;  // m of tc-1, J of tc-3 and tc-4
  exact::Rational floor;  // BOS attention (of tc-4: the rollout's entry for BOS) is at least this
};

// A theorem's noise lies in [-1,1]: over boxes [-r,r] it speaks of the loss over this number, the
// least of 1 and all r. Nothing for other boxes, and where an r is 0.
std::optional<exact::Rational> loss_unit(const certificate::Box& box);

// tc-1 at every pre-trigger row: the better of BOS attention >= 1 - 2 (1 + 1/m) eta, at the largest
// integer m >= 2 with m + 2 <= length and 2 m (m+1) eta <= 1, and >= 1 - 2 eta / (1 - C eta), C the
// constant of proofs/tc-1, step 4. Nothing when neither applies.
std::optional<Implied> implied_by_tc1(const exact::Rational& eta, std::size_t length);

// tc-4's `rollout_sink` at J = length (the largest D_J = (J-3)/(2(J-1)) is the best), when
// eta < D_J / 4: the rollout of every non-trigger row has >= 1 - 2 eta / (D_J - 2 eta) on BOS.
std::optional<Implied> implied_by_tc4(const exact::Rational& eta, std::size_t length);

// tc-3: the same of one layer's BOS attention, and >= 1 - 4 eta when (16 + 22 D_J) eta <= D_J.
std::optional<Implied> implied_by_tc3(const exact::Rational& eta, std::size_t length);

// "theorem.tc-1", "theorem.tc-3" or "theorem.tc-4" of a model with this certified sup loss;
// `certified` says what is proved of a floor by its name, where the theorem applies.
Decided forced_sink(const std::string& name, const exact::Rational& eta,
                    const model::AttentionModel& model,
                    const std::function<exact::Rational(const std::string& floor)>& certified);

}  // namespace sinkproof::certify
