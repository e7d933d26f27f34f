// How `sinkproof certify` shows bounds, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "certify/certify.hpp"
#include "certify/requirements.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::cli {

// After the bounds, what was required of them: threshold, verdict, the number that decides, and
// where the input is that attains it.
void print_certification_text(const certify::Certification& certification,
                              const std::vector<certify::Decision>& decisions,
                              const model::AttentionModel& model);
// "bos-floor.pre", or "bos-floor.pre layer 1 head 0".
std::string label(const certify::Property& property);

void print_certification_json(const certify::Certification& certification,
                              const std::vector<certify::Decision>& decisions,
                              const model::AttentionModel& model);

}  // namespace sinkproof::cli
