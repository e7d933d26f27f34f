// What the theory implies for a model whose sup loss is certified: the sink that tc-1, tc-3 and
// tc-4 force, beside what is certified of it.
#pragma once

#include <functional>
#include <string>

#include "attention/theorem.hpp"
#include "certify/entries.hpp"
#include "exact/rational.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::certify {

// "theorem.tc-1", "theorem.tc-3" or "theorem.tc-4" of a model with this certified sup loss;
// `certified` says what is proved of a floor by its name, where the theorem applies.
Decided forced_sink(const std::string& name, const exact::Rational& eta,
                    const model::AttentionModel& model,
                    const std::function<exact::Rational(const std::string& floor)>& certified);

}  // namespace sinkproof::certify
