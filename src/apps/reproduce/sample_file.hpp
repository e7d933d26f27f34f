// An attention sample as JSON, so that what the figures draw can be read, and drawn again. Numbers
// are decimal strings that name the doubles.
#pragma once

#include <optional>

#include "json/strict.hpp"
#include "reproduce/attention_sample.hpp"

namespace sinkproof::reproduce {

json::Value sample_json(const AttentionSample& sample);

// The sample of this model and draw; nothing when `value` is another's or not of the form.
std::optional<AttentionSample> read_sample(const json::Value& value,
                                           const model::AttentionModel& model, const Draw& draw);

}  // namespace sinkproof::reproduce
